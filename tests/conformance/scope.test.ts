// Keys restricted to scopes. The operations that each scope opens are read from the contract and tried on the running
// api.
import { operations, specifiedScopes } from '@berth/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { missingScope, scopesOf } from './support/probe.ts';
import { bodyFor, completeConfig, nameFor, type Sample, samples } from './support/samples.ts';
import { declaredFor, openedBy, withScopes } from './support/scoped-key.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: completeConfig });
});
afterAll(() => api[Symbol.asyncDispose]());

const minutes = 60_000;
const scopesFor = (resource: keyof typeof specifiedScopes): string[] =>
  specifiedScopes[resource].map((action) => `${resource}:${action}`);
const everyScope = Object.entries(specifiedScopes).flatMap(([resource, actions]) =>
  actions.map((action) => `${resource}:${action}`),
);
const keyWith = (...scopes: string[]) => withScopes(api.admin, ...scopes);

/** Each scope alone opens exactly the operations declared for it, and at least one. */
async function expectOwnOperations(scopes: readonly string[]): Promise<void> {
  for (const scope of scopes) {
    const opened = await openedBy(api, scope);
    expect([scope, opened.sort()]).toEqual([scope, declaredFor(scope).sort()]);
    expect(opened.length, scope).toBeGreaterThan(0);
  }
}

/** Creates, reads, lists, updates and deletes a resource, each step with a key that allows only that step. */
async function live(sample: Sample, resource: string, update: string): Promise<void> {
  const name = nameFor(sample, 'scoped');
  const path = `${sample.path}/${name}`;
  const body = bodyFor(sample, 'scoped');
  const may = (action: string) => keyWith(`${resource}:${action}`);
  const answers = [
    await (await may('create')).post(sample.path, body),
    await (await may('get')).get(path),
    await (await may('list')).get(sample.path),
    await (await may(update)).put(path, body),
    await (await may('delete')).delete(path),
  ];
  expect([resource, ...answers.map(({ status }) => status)]).toEqual([resource, 200, 200, 200, 200, 200]);
  expect(answers[1]?.body.metadata.name).toBe(name);
  expect(answers[2]?.text).toContain(name);
}

test('scope.every-scope-accepted: a key can be made with each scope of the specification and an unknown scope is refused', async () => {
  for (const scope of ['admin', ...everyScope]) {
    const client = await keyWith(scope);
    // The key is a valid credential, whatever its scopes.
    expect((await client.get('/accounts')).status, scope).toBe(200);
  }
  const all = await api.admin.post('/profile/api_keys', { scopes: everyScope });
  expect([all.status, all.body.scopes]).toEqual([200, everyScope]);
  for (const scope of ['agents:fly', 'agents', 'Agents:list', 'agents:*', '*', 'admin:all', ' admin', '']) {
    const refused = await api.admin.post('/profile/api_keys', { scopes: ['agents:list', scope] });
    expect([scope, refused.status, refused.body.message]).toEqual([scope, 400, expect.stringContaining('scopes')]);
  }
});

test('scope.restricted-key: a key restricted to one scope does what that scope covers and is refused elsewhere with a 403 that names the missing scope', async () => {
  await api.admin.post('/jobs', bodyFor(samples.job, 'nightly'));
  const reader = await keyWith('jobs:get');
  expect((await reader.get('/jobs/nightly')).body.metadata.name).toBe('nightly');
  const refusals = [
    [await reader.get('/jobs'), 'jobs:list'],
    [await reader.post('/jobs', bodyFor(samples.job, 'another')), 'jobs:create'],
    [await reader.put('/jobs/nightly', bodyFor(samples.job, 'nightly')), 'jobs:update'],
    [await reader.delete('/jobs/nightly'), 'jobs:delete'],
    [await reader.get('/agents'), 'agents:list'],
    [await reader.post('/jobs/nightly/executions', {}), 'jobs:create'],
    [await reader.get('/profile/api_keys'), 'apiKey:list'],
  ] as const;
  for (const [answer, scope] of refusals) expect([answer.status, missingScope(answer)]).toEqual([403, scope]);
  expect((await api.admin.get('/jobs/nightly')).status).toBe(200);
  expect((await api.admin.get('/jobs/another')).status).toBe(404);
  // A key without a list of scopes may do everything its owner may.
  const { apiKey } = (await api.admin.post('/profile/api_keys', {})).body;
  expect((await api.admin.with({ key: apiKey }).get('/jobs')).status).toBe(200);
});

test(
  'scope.admin: a key that holds only admin passes every scope check',
  async () => {
    const opened = await openedBy(api, 'admin');
    const scoped = operations.filter((operation) => scopesOf(operation).length > 0).map(({ id }) => id);
    expect(opened.sort()).toEqual(scoped.sort());
    // Roles still apply.
    const member = await api.user({ memberOf: api.workspace });
    const limited = await withScopes(member.client, 'admin');
    const refused = await limited.post('/policies', bodyFor(samples.policy, 'never'));
    expect([refused.status, refused.body.error]).toEqual([403, 'role_required']);
  },
  minutes,
);

test(
  'scope.five-actions: for agents, functions, jobs, models, policies, custom domains and sandboxes each of create, delete, get, list and update opens the operations declared for it and no others',
  async () => {
    const resources = {
      agents: samples.agent,
      functions: samples.function,
      jobs: samples.job,
      models: samples.model,
      policies: samples.policy,
      customdomains: samples.customDomain,
      sandboxes: samples.sandbox,
    } as const;
    for (const [resource, sample] of Object.entries(resources)) {
      await live(sample, resource, 'update');
      await expectOwnOperations(['create', 'delete', 'get', 'list', 'update'].map((action) => `${resource}:${action}`));
    }
    await expectOwnOperations(['sandboxes:control']);
  },
  3 * minutes,
);

test(
  'scope.storage: for volumes and volume templates each listed action opens the operations declared for it and no others',
  async () => {
    await live(samples.volumeTemplate, 'volumeTemplates', 'upsert');
    await live(samples.volume, 'volumes', 'update');
    await expectOwnOperations([...scopesFor('volumeTemplates'), ...scopesFor('volumes')]);
  },
  minutes,
);

test(
  'scope.catalogues: the list scopes of configurations, locations, the MCP hub and the sandbox hub, and get and list of templates, each open their own catalogue only',
  async () => {
    const [template] = (await api.admin.get('/templates')).body;
    const catalogues = {
      'configurations:list': '/configuration',
      'locations:list': '/locations',
      'mcphub:list': '/mcp/hub',
      'sandboxhub:list': '/sandbox/hub',
      'templates:list': '/templates',
      'templates:get': `/templates/${template.name}`,
    };
    for (const scope of Object.keys(catalogues)) {
      const client = await keyWith(scope);
      for (const [needed, path] of Object.entries(catalogues)) {
        const answer = await client.get(path);
        const expected = needed === scope ? [200, undefined] : [403, needed];
        expect([scope, path, answer.status, missingScope(answer)]).toEqual([scope, path, ...expected]);
      }
    }
    await expectOwnOperations(Object.keys(catalogues));
  },
  minutes,
);

test(
  'scope.integrations: integrations:list lists connections and only integrations:create creates one',
  async () => {
    const [lister, creator] = [await keyWith('integrations:list'), await keyWith('integrations:create')];
    const body = bodyFor(samples.connection, 'linked');
    const { path } = samples.connection;
    expect(missingScope(await lister.post(path, body))).toBe('integrations:create');
    expect(missingScope(await creator.get(path))).toBe('integrations:list');
    expect((await creator.post(path, body)).body.metadata.name).toBe('linked');
    expect((await lister.get(path)).body).toMatchObject([{ metadata: { name: 'linked' } }]);
    await expectOwnOperations(scopesFor('integrations'));
    const others = await keyWith(...everyScope.filter((scope) => scope !== 'integrations:create'));
    expect(missingScope(await others.post(path, bodyFor(samples.connection, 'unlinked')))).toBe('integrations:create');
  },
  minutes,
);

test(
  'scope.api-keys: apiKey:list lists keys and only apiKey:write creates and revokes them',
  async () => {
    const [lister, writer] = [await keyWith('apiKey:list'), await keyWith('apiKey:write')];
    const robot = await api.admin.post('/service_accounts', { name: 'robot' });
    for (const path of ['/profile/api_keys', `/service_accounts/${robot.body.client_id}/api_keys`]) {
      const body = { name: 'made', scopes: ['apiKey:write'] };
      expect(missingScope(await lister.post(path, body))).toBe('apiKey:write');
      expect(missingScope(await writer.get(path))).toBe('apiKey:list');
      const { id } = (await writer.post(path, body)).body;
      const ids = async () => (await lister.get(path)).body.map((key: { id: string }) => key.id);
      expect(await ids()).toContain(id);
      expect(missingScope(await lister.delete(`${path}/${id}`))).toBe('apiKey:write');
      expect((await writer.delete(`${path}/${id}`)).status).toBe(200);
      expect(await ids()).not.toContain(id);
    }
    // A restricted key cannot grant scopes that it does not hold.
    const wider = await writer.post('/profile/api_keys', { scopes: ['agents:list'] });
    expect([wider.status, missingScope(wider)]).toEqual([403, 'agents:list']);
    await expectOwnOperations(scopesFor('apiKey'));
  },
  minutes,
);

test(
  'scope.workspaces: each of the ten workspace actions, and invitations:list, opens the operations declared for it and no others',
  async () => {
    const may = (action: string) => keyWith(`workspaces:${action}`);
    expect((await (await may('create')).post('/workspaces', { name: 'shared' })).body.status).toBe('ready');
    expect((await (await may('list')).get('/workspaces')).text).toContain('shared');
    expect((await (await may('get')).get('/workspaces/shared')).body.name).toBe('shared');
    const changed = await (await may('update')).put('/workspaces/shared', { displayName: 'Ours' });
    expect(changed.body.displayName).toBe('Ours');

    const guest = await api.user();
    const inviter = (await may('invite')).with({ workspace: 'shared' });
    const guestMay = async (scope: string) => withScopes(guest.client, scope);
    const invite = () => inviter.post('/users', { email: guest.email });
    expect((await invite()).body.email).toBe(guest.email);
    expect((await (await guestMay('invitations:list')).get('/profile/invitations')).body).toHaveLength(1);
    const [joiner, decliner] = [await guestMay('workspaces:accept'), await guestMay('workspaces:decline')];
    expect(missingScope(await joiner.post('/workspaces/shared/decline'))).toBe('workspaces:decline');
    expect(missingScope(await decliner.post('/workspaces/shared/join'))).toBe('workspaces:accept');
    expect((await decliner.post('/workspaces/shared/decline')).status).toBe(200);
    await invite();
    expect((await joiner.post('/workspaces/shared/join')).status).toBe(200);
    expect((await (await guestMay('workspaces:leave')).delete('/workspaces/shared/leave')).body.name).toBe('shared');
    await invite();
    await joiner.post('/workspaces/shared/join');
    const remover = (await may('remove')).with({ workspace: 'shared' });
    expect((await remover.delete(`/users/${guest.id}`)).status).toBe(200);
    expect((await guest.client.get('/workspaces')).body).toEqual([]);
    expect((await (await may('delete')).delete('/workspaces/shared')).body.name).toBe('shared');

    await expectOwnOperations([...scopesFor('workspaces'), 'invitations:list']);
  },
  minutes,
);
