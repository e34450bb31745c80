// Every operation of the contract, called by every kind of caller. The expected outcomes are written down here a second
// time, in their own table: this file never asks the product for them.
import { type Access, type Operation, operations, scopes } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Asked, Client } from '../../../tests/harness/client.ts';
import { requiredQuery } from '../../../tests/harness/required-query.ts';
import { recordRoutes } from '../../../tests/harness/routes.ts';
import { addAccount, fill } from '../../../tests/harness/tenant.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

const callers = [
  'none',
  'bad key',
  'expired key',
  'member of another workspace',
  'account admin who is not a member',
  'another account',
  'key without the scope',
  'member',
  'workspace admin',
] as const;
type Caller = (typeof callers)[number];

type Outcome = 'open' | 'unauthenticated' | 'workspace forbidden' | 'not found' | 'role missing' | 'scope missing';

const strangersToWorkspace: readonly Caller[] = [
  'member of another workspace',
  'account admin who is not a member',
  'another account',
];

function expected(access: Access, caller: Caller): Outcome {
  if (access.kind === 'public') return 'open';
  if (caller === 'none' || caller === 'bad key' || caller === 'expired key') return 'unauthenticated';
  switch (access.kind) {
    case 'authenticated':
      return caller === 'key without the scope' && access.scopes.length > 0 ? 'scope missing' : 'open';
    case 'account':
      if (caller === 'another account') return 'not found';
      if (access.role === 'admin') return caller === 'account admin who is not a member' ? 'open' : 'role missing';
      return caller === 'key without the scope' && access.scopes.length > 0 ? 'scope missing' : 'open';
    case 'workspace':
    case 'workspaceInPath':
      if (strangersToWorkspace.includes(caller))
        return access.kind === 'workspace' ? 'workspace forbidden' : 'not found';
      if (caller === 'member') return access.role === 'admin' ? 'role missing' : 'open';
      return caller === 'key without the scope' && access.scopes.length > 0 ? 'scope missing' : 'open';
  }
  throw new Error(`no rule for access ${JSON.stringify(access)}`);
}

const routes = recordRoutes();
let api: TestApi;
const clients = new Map<Caller, Client>();
/** Keys that hold every scope except this one, and not `admin`, which implies all. */
const keysWithout = new Map<string, string>();
/** The same keys for an account admin, for operations that only account admins may call. */
const accountKeysWithout = new Map<string, string>();
/** Workspace by operation: an allowed operation may delete or leave its workspace, so no two operations share one. */
const workspaceOf = new Map<string, string>();
let workspaceAdmin: Client;
let accountAdminClient: Client;

const byPath = operations.filter(({ access }) => access.kind === 'workspaceInPath');

beforeAll(async () => {
  api = await startTestApi({ config: { dnsServers: ['127.0.0.1:1'] }, clickhouse: 'own' });
  const other = await addAccount(api, 'zulu');
  await api.addWorkspace('beside');
  const admin = await api.user({ memberOf: api.workspace, role: 'admin' });
  const member = await api.user({ memberOf: api.workspace });
  workspaceAdmin = admin.client;
  const expiring = (await admin.client.post('/profile/api_keys', { expires_in: '30d' })).body;
  const past = new Date(Date.now() - 1000);
  await api.database.updateTable('api_keys').set({ expires_at: past }).where('id', '=', expiring.id).execute();
  const scopeless = (await admin.client.post('/profile/api_keys', { scopes: [] })).body.apiKey;
  for (const scope of scopes) {
    const held = scopes.filter((one) => one !== scope && one !== 'admin');
    keysWithout.set(scope, (await admin.client.post('/profile/api_keys', { scopes: held })).body.apiKey);
  }
  for (const [index, { id }] of byPath.entries()) {
    const name = `in-path-${index}`;
    await api.addWorkspace(name);
    workspaceOf.set(id, name);
    await join(name, { [admin.id]: 'admin', [member.id]: 'member' });
  }
  const beside = await api.user({ memberOf: 'beside' });
  const accountAdmin = await api.user({ account: 'admin' });
  accountAdminClient = accountAdmin.client;
  for (const scope of new Set(operations.flatMap(accountAdminScopes))) {
    const held = scopes.filter((one) => one !== scope && one !== 'admin');
    accountKeysWithout.set(scope, (await accountAdmin.client.post('/profile/api_keys', { scopes: held })).body.apiKey);
  }
  const of = (key: string | undefined) => api.admin.with({ key, workspace: undefined });
  clients.set('none', of(undefined));
  clients.set('bad key', of(`${admin.key.slice(0, -4)}AAAA`));
  clients.set('expired key', of(expiring.apiKey));
  clients.set('member', of(member.key));
  clients.set('workspace admin', of(admin.key));
  clients.set('account admin who is not a member', of(accountAdmin.key));
  clients.set('member of another workspace', of(beside.key));
  clients.set('another account', of(other.key));
  clients.set('key without the scope', of(scopeless));
});
afterAll(() => api[Symbol.asyncDispose]());

async function join(workspace: string, people: Readonly<Record<string, 'admin' | 'member'>>): Promise<void> {
  const { id } = await api.database
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', workspace)
    .executeTakeFirstOrThrow();
  const rows = Object.entries(people).map(([user_id, role]) => ({ workspace_id: id, user_id, role }));
  await api.database.insertInto('workspace_members').values(rows).execute();
}

const clientOf = (caller: Caller): Client => {
  const client = clients.get(caller);
  if (client === undefined) throw new Error(`nobody is ${caller}`);
  return client;
};

interface Place {
  readonly workspace: string;
  readonly accountId: string;
}

const placeOf = ({ id }: Operation): Place => ({
  workspace: workspaceOf.get(id) ?? api.workspace,
  accountId: api.accountId,
});

/** Path of the operation with names of resources that do not exist; the workspace and account are the given ones. */
function address(operation: Operation, { workspace, accountId }: Place): string {
  const params = new Proxy({ workspaceName: workspace, workspace, accountId } as Record<string, string>, {
    get: (known, name) => known[String(name)] ?? 'nothing-here',
  });
  return (operation.base === 'api_url' ? '/' : '') + fill(operation.path, params);
}

/** Bodies for operations where an empty body would ask for more than a restricted key may grant. */
const bodies: Readonly<Record<string, object>> = { createProfileKey: { scopes: [] } };

function ask(operation: Operation, client: Client, place: Place, asked: Asked = {}): Promise<Answer> {
  const chosen = operation.access.kind === 'workspace' ? { workspace: place.workspace } : {};
  return client.with(chosen).send(operation.method, address(operation, place), {
    ...(operation.body === undefined ? {} : { body: bodies[operation.id] ?? {} }),
    query: requiredQuery[operation.id] ?? {},
    ...asked,
  });
}

/** An answer without the parts that differ between any two: the request id and the date. */
function bytes({ status, headers, text }: Answer): string {
  const kept = [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name));
  return JSON.stringify([status, kept, text]);
}

const missing: Place = { workspace: 'no-such-place', accountId: '0198c0de-0000-7000-8000-000000000000' };

async function check(operation: Operation, caller: Caller): Promise<void> {
  const client = clientOf(caller);
  const place = placeOf(operation);
  const outcome = expected(operation.access, caller);
  const answer = await ask(operation, client, place);
  const seen = [answer.status, answer.body?.error];
  switch (outcome) {
    case 'open':
      expect(answer.status, answer.text).not.toBe(401);
      expect(answer.status, answer.text).not.toBe(403);
      expect(answer.status, answer.text).toBeLessThan(500);
      return;
    case 'unauthenticated':
      expect(seen).toEqual([401, 'unauthenticated']);
      // The place is not even looked up.
      expect(bytes(await ask(operation, client, missing))).toBe(bytes(answer));
      return;
    case 'workspace forbidden': {
      expect(seen).toEqual([403, 'workspace_forbidden']);
      expect(bytes(await ask(operation, client, missing))).toBe(bytes(answer));
      const path = address(operation, place);
      for (const workspace of [place.workspace, missing.workspace]) {
        const byQuery = await client.send(operation.method, path, { query: { workspace } });
        expect(bytes(byQuery)).toBe(bytes(answer));
      }
      return;
    }
    case 'not found':
      expect(seen).toEqual([404, 'not_found']);
      expect(bytes(await ask(operation, client, missing))).toBe(bytes(answer));
      return;
    case 'role missing':
      expect(seen).toEqual([403, 'role_required']);
      expect(answer.body.message).toContain(operation.access.kind === 'account' ? 'account admin' : 'workspace admin');
      return;
    case 'scope missing': {
      const [first] = 'scopes' in operation.access ? operation.access.scopes : [];
      expect(seen).toEqual([403, 'scope_required']);
      expect(answer.body.message).toContain(`the scope ${first}.`);
    }
  }
}

describe.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
  '%s',
  (_name, operation) => {
    // Sequential, refused callers first: an allowed call may delete the workspace.
    test.each(callers.toSorted((a, b) => refusedFirst(operation, a) - refusedFirst(operation, b)))(
      'asked by: %s',
      (caller) => check(operation, caller),
    );

    test('each of its scopes is needed, and is named when it alone is missing', async () => {
      const needed = 'scopes' in operation.access ? operation.access.scopes : [];
      const place = await freshPlace(operation);
      const isForAccountAdmins = accountAdminScopes(operation).length > 0;
      const [owner, without] = isForAccountAdmins
        ? [accountAdminClient, accountKeysWithout]
        : [workspaceAdmin, keysWithout];
      for (const scope of needed) {
        const answer = await ask(operation, owner.with({ key: without.get(scope) }), place);
        expect([answer.status, answer.body.error]).toEqual([403, 'scope_required']);
        expect(answer.body.message).toContain(`the scope ${scope}.`);
      }
      const { body } = await owner.post('/profile/api_keys', { scopes: [...needed] });
      const enough = await ask(operation, owner.with({ key: body.apiKey }), place);
      expect([401, 403]).not.toContain(enough.status);
    });
  },
);

const accountAdminScopes = ({ access }: Operation): readonly string[] =>
  access.kind === 'account' && access.role === 'admin' ? access.scopes : [];

const refusedFirst = ({ access }: Operation, caller: Caller): number => (expected(access, caller) === 'open' ? 1 : 0);

/** The callers above may have left or deleted the workspace of this operation, so it gets a new one. */
async function freshPlace(operation: Operation): Promise<Place> {
  if (operation.access.kind !== 'workspaceInPath') return placeOf(operation);
  const name = `fresh-${workspaceOf.get(operation.id)}`;
  await api.addWorkspace(name);
  const { sub } = (await workspaceAdmin.get('/profile/api_keys')).body[0];
  await join(name, { [sub]: 'admin' });
  return { ...placeOf(operation), workspace: name };
}

describe('the server', () => {
  const documentation = (route: string) => /^(GET|HEAD) (\/v0\/openapi\.json|\/docs(\/.*)?)$/.test(route);
  /** A join token opens these: `install.test.ts`. */
  const forMachines = (route: string) => /^GET \/install\/(join|release)$/.test(route);
  const declared = () =>
    operations.map(({ method, base, path }) =>
      `${method} ${base === 'api_url' ? '' : '/v0'}${path}`.replace(/\{(\w+)\}/g, ':$1'),
    );

  test('has no route that the contract does not declare, but its documentation and what machines fetch to join', () => {
    expect(routes.routes.size).toBeGreaterThan(100);
    const known = new Set(declared());
    const others = [...routes.routes].filter((route) => !documentation(route) && !forMachines(route));
    expect(others.filter((route) => !known.has(route))).toEqual([]);
  });

  test('serves every operation of the contract', () => {
    expect(declared().filter((route) => !routes.routes.has(route))).toEqual([]);
  });
});
