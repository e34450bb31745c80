// Rules that hold on every management operation.
import { operations } from '@berth/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../harness/client.ts';
import { answerJson, ProviderStandIn } from '../harness/provider-stand-in.ts';
import { requiredQuery } from '../harness/required-query.ts';
import { addCall, addStatement, createEverything, fill } from '../harness/tenant.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { addExit, bodyFor, completeConfig, nameFor, type Sample, samples } from './support/samples.ts';

/** Includes the region that `createEverything` uses. */
const regions = [...completeConfig.regions, { name: 'local', egressPools: ['198.51.100.0/24'] }];

let api: TestApi;
let provider: ProviderStandIn;
beforeAll(async () => {
  provider = await ProviderStandIn.start(answerJson({ data: [{ id: 'small' }] }));
  api = await startTestApi({
    config: { ...completeConfig, regions, features: { known: true } },
    clickhouse: 'own',
    providers: { allowedRanges: ['127.0.0.0/8'], addresses: {} },
  });
  await addExit(api.admin);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

test('http.base-path: the management API answers below /v0 and the same path without that prefix is not found', async () => {
  const fixed = operations.filter(
    ({ base, method, path }) => base !== 'api_url' && method === 'GET' && !path.includes('{'),
  );
  expect(fixed.length).toBeGreaterThan(20);
  for (const { path } of fixed) {
    expect([path, (await api.admin.get(path)).status]).toEqual([path, 200]);
    expect([path, (await api.admin.get(`/${path}`)).status]).toEqual([path, 404]);
  }
});

test('http.json-bodies: a body that is not JSON is refused and every answer with a body is application/json', async () => {
  const answers: Answer[] = [];
  const writes = operations.filter(({ body, base }) => body !== undefined && base !== 'api_url');
  const names = { workspaceName: api.workspace, accountId: api.accountId };
  for (const { method, path } of writes) {
    const address = path.replace(/\{(\w+)\}/g, (_, name) => new Map(Object.entries(names)).get(name) ?? 'any-name');
    const broken = await api.admin.send(method, address, { rawBody: '{"metadata":' });
    expect([method, path, broken.status]).toEqual([method, path, 400]);
    const form = await api.admin.send(method, address, {
      rawBody: 'name=plain',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([method, path, form.status]).toEqual([method, path, 415]);
    answers.push(broken, form);
  }
  answers.push(
    await api.admin.get('/drives'),
    await api.admin.with({ version: '2026-04-16' }).get('/drives'),
    await api.admin.get('/drives/absent'),
    await api.admin.with({ version: 'never' }).get('/drives'),
    await api.admin.with({ key: undefined }).get('/drives'),
    await api.admin.get('/nowhere'),
    await api.admin.post('/drives', bodyFor(samples.drive, 'typed')),
    await api.admin.delete('/drives/typed'),
  );
  expect(answers.filter(({ text }) => text === '')).toEqual([]);
  for (const { headers } of answers) expect(headers.get('content-type')).toMatch(/^application\/json\b/);
});

test('http.success-200: every read of the contract, and a create, a change and a delete of fourteen kinds, answer 200 with their body', async () => {
  const everything = await createEverything(api.admin, 'read');
  const [template] = (await api.admin.get('/templates')).body;
  const connection = {
    integration: 'hf_private_endpoint',
    config: { BASE_URL: provider.url },
    secret: { API_KEY: 'k' },
  };
  await api.admin.post('/integrations/connections', { metadata: { name: 'models' }, spec: connection });
  const params = {
    ...{ ...everything, connectionName: 'models', modelId: 'small' },
    ...(await addCall(api, api, 'read')),
    ...{ accountId: api.accountId, workspaceName: api.workspace, month: await addStatement(api, api) },
    ...{ templateName: template.name, integrationName: 'github', featureKey: 'known' },
  };
  for (const { base, id, method, path } of operations.filter((each) => each.method === 'GET')) {
    const address = `${base === 'api_url' ? '/' : ''}${fill(path, params)}`;
    const { status, text } = await api.admin.send(method, address, { query: requiredQuery[id] ?? {} });
    expect([path, status, text === '']).toEqual([path, 200, false]);
  }
  const withoutChange = ['VPC', 'EgressGateway', 'EgressIP'];
  for (const sample of Object.values<Sample>(samples)) {
    const { title, path } = sample;
    const name = nameFor(sample, 'success');
    const sent = bodyFor(sample, 'success');
    const identity = { metadata: { name } };
    const created = await api.admin.post(path, sent);
    expect([title, created.status, created.body]).toMatchObject([title, 200, identity]);
    const read = await api.admin.get(`${path}/${name}`);
    expect([title, read.status, read.body]).toMatchObject([title, 200, identity]);
    const listing = await api.admin.get(path);
    expect([title, listing.status]).toEqual([title, 200]);
    expect([listing.body.data ?? listing.body].flat()).toContainEqual(
      expect.objectContaining({ metadata: expect.objectContaining({ name }) }),
    );
    if (!withoutChange.includes(title)) {
      const changed = await api.admin.put(`${path}/${name}`, bodyFor(sample, 'success', { displayName: 'Changed' }));
      expect([title, changed.status, changed.body]).toMatchObject([
        title,
        200,
        { metadata: { name, displayName: 'Changed' } },
      ]);
    }
    const deleted = await api.admin.delete(`${path}/${name}`);
    // Deleting a drive returns its name and a message.
    const farewell = title === 'Drive' ? { name, message: expect.any(String) } : identity;
    expect([title, deleted.status, deleted.body]).toMatchObject([title, 200, farewell]);
  }
});

/** Every value whose field name marks it as a time. */
function timesIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(timesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) =>
    /(At|^time|^timestamp)$/.test(field) ? [inner] : timesIn(inner),
  );
}

test('http.timestamps: every timestamp in an answer is an ISO 8601 string in UTC', async () => {
  const answers: Answer[] = [];
  for (const sample of Object.values<Sample>(samples)) {
    answers.push(await api.admin.post(sample.path, bodyFor(sample, 'timed')), await api.admin.get(sample.path));
  }
  const execution = await api.admin.post('/jobs/timed/executions', { tasks: [{ a: 1 }] });
  const executionPath = `/jobs/timed/executions/${execution.body.executionId}`;
  await api.admin.post('/users', { email: 'timed@example.com' });
  await api.admin.post('/service_accounts', { name: 'timed' });
  answers.push(await api.admin.delete('/volumes/timed'), await api.admin.delete(executionPath));
  const fixed = operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
  for (const { path } of fixed) answers.push(await api.admin.get(path));
  answers.push(await api.admin.get('/agents/timed/revisions'), await api.admin.get(`${executionPath}/tasks`));
  answers.push(await api.admin.get(`/accounts/${api.accountId}`));
  const times = answers.flatMap(({ body }) => timesIn(body));
  expect(times.length).toBeGreaterThan(100);
  for (const time of times) {
    expect(time).toEqual(expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/));
    expect(Number.isNaN(Date.parse(String(time)))).toBe(false);
  }
});
