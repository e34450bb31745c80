import { expect, test } from 'vitest';
import { requireNamesAllowed, visibleWorkspaces } from './visible-workspaces.ts';

const membership = (workspaceId: string, accountId: string) => ({
  ...{ workspaceId, workspaceName: workspaceId, accountId },
  role: 'admin' as const,
});
const memberships = [membership('w2', 'one'), membership('w1', 'one'), membership('w3', 'two')];

test('an account admin sees the whole account, whatever workspaces they are in', () => {
  const admin = { memberships, accounts: [{ accountId: 'one', role: 'admin' as const }] };
  expect(visibleWorkspaces(admin, 'one')).toBeUndefined();
  expect(() => requireNamesAllowed(undefined, { workspace: 'any', groupBy: ['workspace'] })).not.toThrow();
});

test('any other caller sees their workspaces of that account, also an admin of another account', () => {
  const accounts = [
    { accountId: 'one', role: 'member' as const },
    { accountId: 'two', role: 'admin' as const },
  ];
  expect(visibleWorkspaces({ memberships, accounts }, 'one')).toEqual(['w1', 'w2']);
  expect(visibleWorkspaces({ memberships: [], accounts }, 'one')).toEqual([]);
});

test.each([{ workspace: 'w1' }, { groupBy: ['workspace'] }, { groupBy: ['resource_type', 'workspace'] }])(
  '%j is for account admins',
  (query) => {
    expect(() => requireNamesAllowed(['w1'], query)).toThrow('access denied');
  },
);

test('a query that names no workspace is for every member of the account', () => {
  expect(() => requireNamesAllowed([], { groupBy: ['resource_name', 'resource_uuid'] })).not.toThrow();
  expect(() => requireNamesAllowed([], {})).not.toThrow();
});
