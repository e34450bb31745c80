export interface Membership {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly accountId: string;
  readonly role: 'member' | 'admin';
}

/** The caller, and everything that its key gives access to. */
export interface Principal {
  readonly keyId: string;
  readonly subject: string;
  readonly subjectType: 'user' | 'service_account';
  readonly email?: string;
  /** Only set when the key was created with a list of scopes. */
  readonly scopes?: readonly string[];
  /** A service account has exactly one. */
  readonly memberships: readonly Membership[];
  /** Accounts of the user. Accounts that only own one of the user's workspaces are included as `member`. */
  readonly accounts: readonly { readonly accountId: string; readonly role: 'member' | 'admin' }[];
}
