// Workspaces, accounts and visibility between them.
import { headerNames } from '@berth/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conformanceBrand } from '../harness/conformance-brand.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { addExit, bodyFor, completeConfig, nameFor, type Sample, samples } from './support/samples.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: completeConfig });
  await api.addWorkspace('other');
  await addExit(api.admin);
});
afterAll(() => api[Symbol.asyncDispose]());

test('tenancy.shared-access: every member of a workspace reaches its resources and a caller from outside is refused', async () => {
  const [maker, reader] = [await api.user({ memberOf: api.workspace }), await api.user({ memberOf: api.workspace })];
  const outsiders = [
    (await api.user()).client,
    (await api.user({ account: 'admin' })).client,
    (await api.user({ memberOf: 'other', role: 'admin' })).client,
  ].map((client) => client.with({ workspace: api.workspace }));
  const ofMembers = [samples.agent, samples.job, samples.drive, samples.volume, samples.sandbox];
  for (const sample of ofMembers) {
    const created = await maker.client.post(sample.path, bodyFor(sample, 'ours'));
    const path = `${sample.path}/ours`;
    expect((await reader.client.get(path)).body).toEqual((await maker.client.get(path)).body);
    const changed = await reader.client.put(path, bodyFor(sample, 'ours', { displayName: 'By another' }));
    expect([created.status, changed.status]).toEqual([200, 200]);
    expect((await maker.client.get(path)).body.metadata).toMatchObject({
      displayName: 'By another',
      createdBy: maker.id,
      updatedBy: reader.id,
    });
    for (const outsider of outsiders) {
      const answers = [
        await outsider.get(path),
        await outsider.get(sample.path),
        await outsider.put(path, bodyFor(sample, 'ours')),
        await outsider.delete(path),
        await outsider.post(sample.path, bodyFor(sample, 'theirs')),
      ];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
      expect(answers.map(({ text }) => text).join()).not.toContain('By another');
    }
    expect((await reader.client.delete(path)).status).toBe(200);
  }
});

test('tenancy.workspace-header: a resource is created in the workspace that X-Service-Workspace names and appears in no other', async () => {
  const header = headerNames(conformanceBrand()).workspace;
  const caller = api.admin.with({ workspace: undefined });
  await caller.post('/vpcs/default/egressgateways', bodyFor(samples.egressGateway, 'exit'), {
    headers: { [header]: 'other' },
  });
  for (const sample of Object.values<Sample>(samples)) {
    const path = `${sample.path}/${nameFor(sample, 'placed')}`;
    const created = await caller.post(sample.path, bodyFor(sample, 'placed'), { headers: { [header]: 'other' } });
    expect([sample.title, created.status, created.body.metadata.workspace]).toEqual([sample.title, 200, 'other']);
    const there = await caller.get(path, { headers: { [header]: 'other' } });
    expect([sample.title, there.status, there.body.metadata.workspace]).toEqual([sample.title, 200, 'other']);
    const here = { headers: { [header]: api.workspace } };
    expect([sample.title, (await caller.get(path, here)).status]).toEqual([sample.title, 404]);
    expect((await caller.get(sample.path, here)).text, sample.title).not.toContain(nameFor(sample, 'placed'));
  }
  const unsaid = await caller.post('/drives', bodyFor(samples.drive, 'nowhere'));
  expect([unsaid.status, unsaid.body.message]).toEqual([400, expect.stringContaining(header)]);
});

test('tenancy.account-owns-workspaces: a workspace carries the id of an account that GET /accounts shows to its owner', async () => {
  const accountIds = async () => (await api.admin.get('/accounts')).body.map(({ id }: { id: string }) => id);
  const created = await api.admin.post('/workspaces', { name: 'owned' });
  expect(await accountIds()).toContain(created.body.accountId);
  const listed = (await api.admin.get('/workspaces')).body;
  expect(listed.map(({ name }: { name: string }) => name).sort()).toEqual(['main', 'other', 'owned']);
  for (const { accountId, name } of listed) {
    expect(await accountIds(), name).toContain(accountId);
    expect((await api.admin.get(`/workspaces/${name}`)).body.accountId).toBe(accountId);
  }
  expect((await (await api.user()).client.get('/accounts')).body).toEqual([]);
});

test('tenancy.account-id: GET /accounts gives each account an id that also reads that account', async () => {
  const { body } = await api.admin.get('/accounts');
  expect(body).toHaveLength(1);
  for (const account of body) {
    const read = await api.admin.get(`/accounts/${account.id}`);
    expect([read.status, read.body]).toEqual([200, account]);
  }
  expect((await api.admin.get(`/accounts/${crypto.randomUUID()}`)).status).toBe(404);
});
