// Authenticates the caller, selects the workspace and checks permissions. Handlers never authenticate. Foreign and
// missing resources get the same response, byte for byte. Rules: decisions on callers and tenancy.
import type { IncomingHttpHeaders } from 'node:http';
import { type Access, ApiError, lacksScope, requestErrors } from '@berth/contract';
import type { Membership, Principal } from '@berth/identity';
import type { Dependencies } from '../dependencies.ts';
import type { Caller } from './call.ts';

export interface RequestHead {
  readonly headers: IncomingHttpHeaders;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/**
 * A handler that uses a part of the caller that its operation does not declare is a bug in the code, not in the
 * request.
 */
function undeclared(what: string): never {
  throw new Error(`the operation declares no ${what}`);
}

const noCaller: Caller = {
  get principal() {
    return undeclared('caller');
  },
  get workspace() {
    return undeclared('workspace');
  },
  get accountId() {
    return undeclared('account');
  },
};

export async function identify(access: Access, request: RequestHead, dependencies: Dependencies): Promise<Caller> {
  if (access.kind === 'public') return noCaller;
  const bearer = readBearer(request.headers, dependencies.headers.authorization.toLowerCase());
  const principal = bearer === undefined ? undefined : await dependencies.authenticator.authenticate(bearer);
  if (bearer === undefined || principal === undefined) throw requestErrors.unauthenticated();
  dependencies.callers.countKey(principal.keyId);
  try {
    return await admit(access, principal, request, dependencies);
  } catch (error) {
    // The cached principal may be a second old. A refusal is therefore checked again with fresh data, so that a right
    // just granted is not refused.
    if (!(error instanceof ApiError)) throw error;
    const fresh = await dependencies.authenticator.authenticate(bearer, { fresh: true });
    if (fresh === undefined) throw requestErrors.unauthenticated();
    return admit(access, fresh, request, dependencies);
  }
}

/** The branded header takes precedence over `Authorization`. */
export function readBearer(headers: IncomingHttpHeaders, branded: string): string | undefined {
  const value = headers[branded] ?? headers.authorization;
  if (typeof value !== 'string') return undefined;
  return /^Bearer +([\x21-\x7e]{1,4096}) *$/i.exec(value)?.[1];
}

async function admit(
  access: Access,
  principal: Principal,
  request: RequestHead,
  dependencies: Dependencies,
): Promise<Caller> {
  switch (access.kind) {
    case 'public':
      return noCaller;
    case 'authenticated':
      requireScopes(principal, access.scopes);
      return withPrincipal(principal);
    case 'account': {
      const accountId = request.params.accountId ?? '';
      const held = principal.accounts.find((account) => account.accountId === accountId);
      if (held === undefined) throw requestErrors.not_found();
      if (access.role === 'admin' && held.role !== 'admin')
        throw requestErrors.role_required({ role: 'account admin' });
      requireScopes(principal, access.scopes);
      return withAccount(principal, accountId);
    }
    case 'workspace':
      return inWorkspace(access, principal, chosenWorkspace(principal, request, dependencies), dependencies);
    case 'workspaceInPath': {
      const name = request.params.workspaceName ?? request.params.workspace;
      const membership = principal.memberships.find(({ workspaceName }) => workspaceName === name);
      if (membership === undefined) throw requestErrors.not_found();
      return inWorkspace(access, principal, membership, dependencies);
    }
  }
}

function withAccount(principal: Principal, accountId: string): Caller {
  return {
    principal,
    accountId,
    get workspace() {
      return undeclared('workspace');
    },
  };
}

function withPrincipal(principal: Principal): Caller {
  return {
    principal,
    get workspace() {
      return undeclared('workspace');
    },
    get accountId() {
      return undeclared('account');
    },
  };
}

function chosenWorkspace(
  principal: Principal,
  { headers, query }: RequestHead,
  { headers: names }: Dependencies,
): Membership {
  const header = headers[names.workspace.toLowerCase()];
  const chosen = typeof header === 'string' && header !== '' ? header : query.workspace;
  if (typeof chosen !== 'string' || chosen === '') {
    const [only, ...others] = principal.memberships;
    if (only === undefined || others.length > 0) throw requestErrors.workspace_required({ header: names.workspace });
    return only;
  }
  const membership = principal.memberships.find(
    ({ workspaceId, workspaceName }) => workspaceName === chosen || workspaceId === chosen,
  );
  if (membership === undefined) throw requestErrors.workspace_forbidden();
  return membership;
}

type WorkspaceAccess = Extract<Access, { kind: 'workspace' | 'workspaceInPath' }>;

async function inWorkspace(
  access: WorkspaceAccess,
  principal: Principal,
  membership: Membership,
  { accounts }: Dependencies,
): Promise<Caller> {
  if (access.role === 'admin' && membership.role !== 'admin')
    throw requestErrors.role_required({ role: 'workspace admin' });
  requireScopes(principal, access.scopes);
  const account = await accounts.get(membership.accountId);
  return {
    principal,
    accountId: membership.accountId,
    workspace: { id: membership.workspaceId, name: membership.workspaceName, role: membership.role, account },
  };
}

function requireScopes(principal: Principal, needed: Parameters<typeof lacksScope>[1]): void {
  const scope = lacksScope(principal.scopes, needed);
  if (scope !== undefined) throw requestErrors.scope_required({ scope });
}
