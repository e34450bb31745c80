export interface Membership {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly accountId: string;
  readonly role: 'member' | 'admin';
}

/** Who is calling, and all that their key lets them reach. */
export interface Principal {
  readonly keyId: string;
  readonly subject: string;
  readonly subjectType: 'user' | 'service_account';
  readonly email?: string;
  /** Only when the key was made with a list. */
  readonly scopes?: readonly string[];
  /** A service account has exactly one. */
  readonly memberships: readonly Membership[];
  /** Accounts the user belongs to, and as `member` those that own a workspace of theirs. */
  readonly accounts: readonly { readonly accountId: string; readonly role: 'member' | 'admin' }[];
}
