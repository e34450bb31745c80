// The usual rules of access, by name.
import type { Access, WorkspaceRole } from './operation.ts';
import type { Scope } from './scopes.ts';

export const publicAccess: Access = { kind: 'public' };
export const anyCaller = (...scopes: Scope[]): Access => ({ kind: 'authenticated', scopes });

const inAccount =
  (role: 'member' | 'admin') =>
  (...scopes: Scope[]): Access => ({ kind: 'account', role, scopes });

export const accountMember = inAccount('member');
export const accountAdmin = inAccount('admin');

const inWorkspace =
  (kind: 'workspace' | 'workspaceInPath', role: WorkspaceRole) =>
  (...scopes: Scope[]): Access => ({ kind, role, scopes });

export const member = inWorkspace('workspace', 'member');
export const admin = inWorkspace('workspace', 'admin');
export const memberOfPath = inWorkspace('workspaceInPath', 'member');
export const adminOfPath = inWorkspace('workspaceInPath', 'admin');
