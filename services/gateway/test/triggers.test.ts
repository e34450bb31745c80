// Requests to the paths of triggers start executions.
import { randomUUID } from 'node:crypto';
import { request as openRequest } from 'node:http';
import { json } from 'node:stream/consumers';
import { bytesPerMb } from '@berth/contract';
import { createLookupLane } from '@berth/database';
import { newApiKey } from '@berth/identity';
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { openDatabaseLine } from '../../../tests/harness/database-line.ts';
import { sendToHost } from '../../../tests/harness/send-to-host.ts';
import { GatewayConfig } from '../src/config.ts';
import { createWorkloadCache } from '../src/routing/workload-cache.ts';
import { startGateway } from '../src/start-gateway.ts';
import { createTriggerCache } from '../src/triggers/trigger-cache.ts';
import { type ApiWithWorkloads, silent, startApiWithWorkloads } from './api-with-workloads.ts';
import { countStatements } from './count-statements.ts';
import { directConnector } from './proxy-fixture.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './test-gateway.ts';

const brand = conformanceBrand();
let workloads: ApiWithWorkloads;
let gateway: TestGateway;
let member: { key: string; id: string };
let foreigner: { key: string; id: string };
const lines: string[] = [];

beforeAll(async () => {
  workloads = await startApiWithWorkloads();
  const destination = { write: (line: string) => void lines.push(line) };
  gateway = await start({ logger: createLogger({ role: 'gateway' }, { level: 'debug', destination }) });
  await workloads.api.addWorkspace('other');
  member = await workloads.api.user({ memberOf: 'main' });
  foreigner = await workloads.api.user({ memberOf: 'other' });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await workloads[Symbol.asyncDispose]();
});

const start = (options: TestGatewayOptions = {}) => startTestGateway(workloads, directConnector(1), options);

const http = (path: string, configuration: object = {}) => ({
  ...{ id: 'hook', type: 'http', enabled: true },
  configuration: { path, ...configuration },
});
const publicly = { authenticationType: 'public' };

/** Creates or changes a job with these triggers. */
async function write(verb: 'post' | 'put', name: string, triggers: object[], spec: object = {}): Promise<void> {
  const runtime = { image: 'registry.example.org/a:1', memory: 128 };
  const body = { metadata: { name }, spec: { runtime, ...spec, triggers } };
  const { admin } = workloads.api;
  const { status, text } = await (verb === 'post' ? admin.post('/jobs', body) : admin.put(`/jobs/${name}`, body));
  expect(status, text).toBe(200);
}

interface Sent {
  readonly key?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly at?: TestGateway;
}

/** Texts are sent as they are, other bodies as JSON. */
async function send(path: string, { key, body, headers = {}, method = 'POST', at = gateway }: Sent = {}) {
  const answer = await fetch(`${at.url}/main/${path}`, {
    method,
    headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const code = answer.headers.get(`x-${brand.long}-error-code`);
  return { status: answer.status, headers: answer.headers, code, text, body: JSON.parse(text) };
}

const refused = async (path: string, sent: Sent = {}) => {
  const { status, code } = await send(path, sent);
  return [status, code];
};

interface StoredExecution {
  readonly external_id: string;
  readonly message_id: string;
  readonly created_by: string;
  readonly trigger: object;
  readonly spec: { readonly maxRetries: number; readonly timeoutSeconds: number };
  readonly tasks: object[];
  readonly event: string;
}

/** Executions of a job, oldest first, with the arguments of their tasks and their first event. */
async function executionsOf(job: string): Promise<StoredExecution[]> {
  const { rows } = await sql<StoredExecution>`
    select executions.external_id, message_id, executions.created_by, trigger, executions.spec,
      (select jsonb_agg(input order by index) from tasks where execution_id = id) as tasks,
      (select message from resource_events where resource_uid = executions.id order by resource_events.id limit 1) as event
    from executions join resources on uid = job_uid
    where resources.name = ${job} and kind = 'job' order by executions.external_id`.execute(workloads.database);
  return rows;
}

const tasksOf = async (job: string) => (await executionsOf(job)).map(({ tasks }) => tasks);
const denied = [401, 'AUTHENTICATION_REQUIRED'];
const missing = [404, 'WORKLOAD_NOT_FOUND'];

test('a request to the path of a trigger starts an execution, which says who started it', async () => {
  const configuration = { tasks: [{ city: 'Oslo' }, {}], retry: 2, timeout: 77 };
  await write('post', 'orders', [
    http('hooks/orders', { ...configuration, callbackUrl: 'https://hooks.example.com/' }),
  ]);
  const answer = await send('hooks/orders', { key: member.key });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toEqual({
    executionId: expect.any(String),
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    jobId: 'orders',
    workspaceId: 'main',
  });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    [`x-${brand.long}-source`.toLowerCase()]: 'platform',
  });
  expect(await executionsOf('orders')).toEqual([
    {
      external_id: answer.body.executionId,
      message_id: answer.body.id,
      created_by: member.id,
      trigger: {
        ...{ id: 'hook', type: 'http' },
        callback: { url: 'https://hooks.example.com/', secret: { $sealed: expect.any(String) } },
      },
      spec: expect.objectContaining({ maxRetries: 2, timeoutSeconds: 77 }),
      tasks: configuration.tasks,
      event: 'Queued by a request to hooks/orders, the path of the trigger hook.',
    },
  ]);
  const shown = await workloads.api.admin.get(`/jobs/orders/executions/${answer.body.executionId}`);
  expect(shown.body).toMatchObject({ status: 'queued', stats: { total: 2 } });
  // The id of the workspace names it too, and a query changes nothing.
  const { id } = await workloads.database
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', 'main')
    .executeTakeFirstOrThrow();
  const byId = await fetch(`${gateway.url}/${id}/hooks/orders?source=x`, {
    method: 'POST',
    headers: { authorization: `Bearer ${member.key}` },
  });
  expect(byId.status, await byId.text()).toBe(200);
});

test('a public trigger starts for all callers and checks keys of ours; a private one tells strangers nothing', async () => {
  await write('post', 'open', [http('open', publicly), { ...http('closed'), id: 'closed' }]);
  for (const headers of [{}, { authorization: 'Basic eDp5' }, { authorization: 'Bearer a-token-of-its-own' }])
    expect((await send('open', { headers, body: { order: 1 } })).status).toBe(200);
  expect((await send('open', { key: foreigner.key })).status).toBe(200);
  const unknown = newApiKey(brand).value;
  expect(await refused('open', { key: unknown })).toEqual([401, 'AUTHENTICATION_FAILED']);
  expect((await executionsOf('open')).map(({ created_by }) => created_by)).toEqual([
    ...Array(3).fill('trigger:hook'),
    foreigner.id,
  ]);
  for (const path of ['closed', 'no/such/path', 'a%20b', 'x/'.repeat(3_000)]) {
    expect(await refused(path)).toEqual(denied);
    expect(await refused(path, { method: 'GET' })).toEqual(denied);
    expect(await refused(path, { key: unknown })).toEqual([401, 'AUTHENTICATION_FAILED']);
  }
  expect(await executionsOf('open')).toHaveLength(4);
});

test('foreign, unknown and disabled triggers get the same 404', async () => {
  const off = { ...http('off', publicly), id: 'off', enabled: false };
  await write('post', 'guarded', [http('guarded'), off]);
  const told = async (path: string, key: string) => {
    const { status, code, body } = await send(path, { key });
    return [status, code, body.error.message, body.error.action];
  };
  const first = await told('no/such/path', member.key);
  expect(first.slice(0, 2)).toEqual(missing);
  for (const [path, key] of [
    ['guarded', foreigner.key],
    ['off', member.key],
    ['off', foreigner.key],
    ['guarded/', member.key],
    ['%67uarded', member.key],
    ['Guarded', member.key],
  ] as const)
    expect([path, await told(path, key)]).toEqual([path, first]);
  expect(await refused('off')).toEqual(denied);
  expect(await refused('off', { method: 'GET' })).toEqual(denied);
  expect(await refused('off', { method: 'GET', key: member.key })).toEqual(missing);
  expect((await send('guarded', { key: member.key })).status).toBe(200);
  expect(await executionsOf('guarded')).toHaveLength(1);
});

test('a key limited by scopes needs jobs:create, at a public trigger too', async () => {
  await write('post', 'scoped', [http('scoped'), { ...http('scoped/open', publicly), id: 'open' }]);
  const keyWith = async (...scopes: string[]): Promise<string> =>
    (await workloads.api.admin.post('/profile/api_keys', { scopes })).body.apiKey;
  const narrow = await keyWith('jobs:list', 'agents:call');
  for (const path of ['scoped', 'scoped/open']) {
    const answer = await send(path, { key: narrow });
    expect([answer.status, answer.body.error.message]).toEqual([403, expect.stringContaining('lacks jobs:create')]);
    expect((await send(path, { key: await keyWith('jobs:create') })).status).toBe(200);
  }
});

test('a job that is not enabled is switched off, and runs once it is enabled', async () => {
  await write('post', 'resting', [http('resting', publicly)], { enabled: false });
  const answer = await send('resting');
  expect([answer.status, answer.code, answer.body.error.message]).toEqual([
    503,
    'WORKLOAD_UNAVAILABLE',
    'The workload is switched off.',
  ]);
  await write('put', 'resting', [http('resting', publicly)], { enabled: true });
  await expect.poll(async () => (await send('resting')).status).toBe(200);
  expect(await executionsOf('resting')).toHaveLength(1);
});

test('a path that moves to another job starts that job, and the old address ends', async () => {
  await write('post', 'from', [http('moving')]);
  await write('post', 'to', []);
  expect((await send('moving', { key: member.key })).body.jobId).toBe('from');
  await write('put', 'from', [http('moved')]);
  await expect.poll(() => refused('moving', { key: member.key })).toEqual(missing);
  await write('put', 'to', [http('moving')]);
  await expect.poll(async () => (await send('moving', { key: member.key })).body.jobId).toBe('to');
  expect((await send('moved', { key: member.key })).body.jobId).toBe('from');
});

test('a deleted job frees its path', async () => {
  await write('post', 'freed', [http('freed')]);
  expect((await send('freed', { key: member.key })).status).toBe(200);
  expect((await workloads.api.admin.delete('/jobs/freed')).status).toBe(200);
  await expect.poll(() => refused('freed', { key: member.key })).toEqual(missing);
  await write('post', 'next', [http('freed')]);
  await expect.poll(async () => (await send('freed', { key: member.key })).body.jobId).toBe('next');
});

test('a change that the gateway has not noticed yet holds for the next request', async () => {
  await using deaf = await start({ isDeaf: true });
  const hook = http('unnoticed', publicly);
  await write('post', 'unnoticed', [hook]);
  // Each request is the first after a change, and finds what the gateway cached before it.
  const after = async (triggers: object[], spec: object = {}, key?: string) => {
    await write('put', 'unnoticed', [hook]);
    await expect.poll(async () => (await send('unnoticed', { at: deaf, key })).status).toBe(200);
    const before = (await executionsOf('unnoticed')).length;
    await write('put', 'unnoticed', triggers, spec);
    const answers = [await refused('unnoticed', { at: deaf, key }), await refused('unnoticed', { at: deaf, key })];
    expect(await executionsOf('unnoticed')).toHaveLength(before);
    return answers;
  };
  expect(await after([http('unnoticed')])).toEqual([denied, denied]);
  expect(await after([http('unnoticed')], {}, foreigner.key)).toEqual([missing, missing]);
  expect(await after([{ ...hook, enabled: false }])).toEqual([denied, denied]);
  expect(await after([http('elsewhere', publicly)])).toEqual([denied, denied]);
  expect(await after([])).toEqual([denied, denied]);
  const off = [503, 'WORKLOAD_UNAVAILABLE'];
  expect(await after([hook], { enabled: false })).toEqual([off, off]);
});

test('the body decides about the tasks', async () => {
  await write('post', 'bodies', [http('bodies', publicly), { ...http('plain', publicly), id: 'plain' }]);
  const event = { action: 'opened', tasks: [1, 2], nested: { list: [null, true, 'ä'] } };
  const tasks = [{ city: 'Oslo' }, {}, { deep: { n: 1 } }];
  for (const body of [undefined, ' \n', { tasks }, event, {}, { tasks: 'x' }]) {
    const { status, text } = await send('bodies', { body });
    expect(status, text).toBe(200);
  }
  expect(await tasksOf('bodies')).toEqual([[{}], [{}], tasks, [event], [{}], [{ tasks: 'x' }]]);
});

test.each([
  ['half an object', '{"a":', 'not JSON'],
  ['a form', 'payload=%7B%7D', 'not JSON'],
  ['a list', '[]', 'has to be a JSON object'],
  ['a text', '"text"', 'has to be a JSON object'],
  ['null', 'null', 'has to be a JSON object'],
  ['no tasks', '{"tasks":[]}', '1 to 1000 objects'],
  ['a task that is no object', '{"tasks":[{},7]}', '1 to 1000 objects'],
  ['too many tasks', JSON.stringify({ tasks: Array(1_001).fill({}) }), '1 to 1000 objects'],
  ['a null character', '{"a":"\\u0000"}', 'U+0000'],
  ['deep nesting', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`, 'nests deeper'],
])('as a body %s is refused', async (_, body, reason) => {
  const job = 'refusing';
  if ((await workloads.api.admin.get(`/jobs/${job}`)).status === 404) await write('post', job, [http(job, publicly)]);
  const answer = await send(job, { body });
  expect([answer.status, answer.code, answer.body.error.message]).toEqual([
    400,
    'BAD_REQUEST',
    expect.stringContaining(reason),
  ]);
  expect(await executionsOf(job)).toEqual([]);
});

test('a body of 1 MiB starts an execution, and a larger one is told where to go, also without a length', async () => {
  await write('post', 'large', [http('large', publicly)]);
  const bodyOf = (bytes: number) => JSON.stringify({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
  expect((await send('large', { body: bodyOf(bytesPerMb) })).status).toBe(200);
  const tooLarge = await send('large', { body: bodyOf(bytesPerMb + 1) });
  expect([tooLarge.status, tooLarge.code, tooLarge.body.error.action]).toEqual([
    413,
    'REQUEST_ENTITY_TOO_LARGE',
    expect.stringContaining('/main/jobs/large/executions of the API'),
  ]);
  const body = new Blob([bodyOf(bytesPerMb + 1)]).stream();
  const streamed = await fetch(`${gateway.url}/main/large`, { method: 'POST', body, duplex: 'half' });
  expect([streamed.status, streamed.headers.get(`x-${brand.long}-error-code`)]).toEqual([
    413,
    'REQUEST_ENTITY_TOO_LARGE',
  ]);
  expect(await executionsOf('large')).toHaveLength(1);
});

/** Sends the head of a request and the first byte of its body. */
function openSlowly(path: string, key?: string) {
  const { promise: status, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const request = openRequest(`${gateway.url}/main/${path}`, { method: 'POST', headers, agent: false });
  request.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
  request.write('{');
  return { status, finish: () => request.end('}'), leave: () => request.destroy() };
}

test('a workspace has few open bodies of strangers, which do not keep callers with a key out', async () => {
  await write('post', 'slow', [http('slow', publicly)]);
  const slow = Array.from({ length: 72 }, () => ({ ...openSlowly('slow'), isAnswered: false }));
  for (const each of slow)
    each.status.then(
      () => {
        each.isAnswered = true;
      },
      () => {},
    );
  const refusedOnes = () => slow.filter(({ isAnswered }) => isAnswered);
  await expect.poll(() => refusedOnes().length).toBe(8);
  expect(new Set(await Promise.all(refusedOnes().map(({ status }) => status)))).toEqual(new Set([429]));
  expect((await send('slow', { key: member.key })).status).toBe(200);
  const [leaving, ...others] = slow.filter(({ isAnswered }) => !isAnswered);
  leaving?.leave();
  for (const { finish } of others) finish();
  expect(new Set(await Promise.all(others.map(({ status }) => status)))).toEqual(new Set([200]));
  // A client that left within its body has started nothing, and its place is free.
  expect(await executionsOf('slow')).toHaveLength(1 + others.length);
  const again = Array.from({ length: 64 }, () => openSlowly('slow'));
  for (const { finish } of again) finish();
  expect(new Set(await Promise.all(again.map(({ status }) => status)))).toEqual(new Set([200]));
});

test('a key that is revoked while the body arrives starts nothing', async () => {
  await write('post', 'revoking', [http('revoking')]);
  const { key, id } = await workloads.api.user({ memberOf: 'main' });
  expect((await send('revoking', { key })).status).toBe(200);
  const slow = openSlowly('revoking', key);
  // The head has arrived once the next request is answered.
  expect((await send('revoking', { key })).status).toBe(200);
  await workloads.database.deleteFrom('api_keys').where('user_id', '=', id).execute();
  await expect.poll(async () => (await send('revoking', { key })).status).toBe(401);
  slow.finish();
  expect(await slow.status).toBe(401);
});

test('a client that waits for 100 Continue is asked for its body once it is admitted', async () => {
  await write('post', 'patient', [http('patient', publicly)]);
  const ask = async (path: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: unknown }>();
    let isAsked = false;
    const request = openRequest(`${gateway.url}/main/${path}`, { method: 'POST', headers: { expect: '100-continue' } });
    request.on('continue', () => {
      isAsked = true;
      request.end('{"n":1}');
    });
    request.on('response', (answer) => {
      void json(answer).then((body) => resolve({ status: answer.statusCode, body }), reject);
      if (!isAsked) request.end();
    });
    request.on('error', reject);
    request.flushHeaders();
    return { ...(await promise), isAsked };
  };
  expect(await ask('patient')).toMatchObject({ status: 200, isAsked: true });
  expect(await ask('unknown')).toMatchObject({ status: 401, isAsked: false });
  expect(await tasksOf('patient')).toEqual([[{ n: 1 }]]);
});

test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is refused with the method to use', async (method) => {
  const job = 'posted';
  if ((await workloads.api.admin.get(`/jobs/${job}`)).status === 404) await write('post', job, [http(job, publicly)]);
  const answer = await send(job, { method });
  expect([answer.status, answer.code, answer.headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', 'POST']);
  expect(await executionsOf(job)).toEqual([]);
});

test('requests with one Idempotency-Key start one execution, however many arrive at once and whatever their body', async () => {
  await write('post', 'once', [http('once', publicly), { ...http('once/more', publicly), id: 'more' }]);
  const headers = { 'idempotency-key': 'delivery-1' };
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => send('once', { headers, body: { n } })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const [first] = answers;
  expect(new Set(answers.map(({ text }) => text))).toEqual(new Set([first?.text]));
  expect(first?.body.id).toBe('http:hook:delivery-1');
  expect(await executionsOf('once')).toHaveLength(1);
  // Another gateway, another key, another trigger.
  await using other = await start();
  expect((await send('once', { headers, at: other })).text).toBe(first?.text);
  await send('once', { headers: { 'idempotency-key': 'delivery-2' } });
  await send('once/more', { headers });
  expect((await executionsOf('once')).map(({ message_id }) => message_id)).toEqual([
    'http:hook:delivery-1',
    'http:hook:delivery-2',
    'http:more:delivery-1',
  ]);
  const bad = await send('once', { headers: { 'idempotency-key': 'a b' } });
  expect([bad.status, bad.body.error.message]).toEqual([400, expect.stringContaining('1 to 255')]);
});

test('beyond the limit of the account nothing is stored, and a repeated request still names its execution', async () => {
  await write('post', 'limited', [http('limited', publicly)]);
  const used = async () => {
    const { rows } = await sql<{ used: number }>`select used from quota_usage
      where account_id = ${workloads.api.accountId} and resource_type = 'execution_bytes'`.execute(workloads.database);
    return rows[0]?.used ?? 0;
  };
  const before = await used();
  const headers = { 'idempotency-key': 'first' };
  const first = await send('limited', { headers });
  const bytes = (await used()) - before;
  // Room for three more of the same size.
  const limits = { limits: { execution_bytes: before + 4 * bytes }, tiers: {} };
  const lane = () => createLookupLane({ maxRunning: 4, maxWaiting: 100 });
  await using tight = await start({ starts: { limits, lanes: { caller: lane(), stranger: lane() } } });
  const answers = await Promise.all(Array.from({ length: 10 }, () => send('limited', { at: tight })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(3).fill(200), ...Array(7).fill(429)]);
  const refusal = answers.find(({ status }) => status === 429);
  expect([refusal?.code, refusal?.body.error.message]).toEqual([
    'QUOTA_EXCEEDED',
    expect.stringContaining('execution_bytes'),
  ]);
  expect((await send('limited', { headers, at: tight })).text).toBe(first.text);
  expect([await used(), (await executionsOf('limited')).length]).toEqual([before + 4 * bytes, 4]);
});

test('volumes that an earlier version stored unchecked start nothing', async () => {
  await write('post', 'mounted', [http('mounted', publicly)]);
  const volumes = JSON.stringify([{ name: 'v', mountPath: '/proc', sizeMb: 1, type: 'ephemeral' }]);
  await sql`update revisions set spec = spec || jsonb_build_object('volumes', ${volumes}::jsonb)
    where resource_uid = (select uid from resources where name = 'mounted')`.execute(workloads.database);
  const answer = await send('mounted');
  expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining('cannot be mounted')]);
  expect(await executionsOf('mounted')).toEqual([]);
});

test('starts of strangers beyond their lane are refused, and do not take the lane of callers with a key', async () => {
  await write('post', 'crowded', [http('crowded', publicly)]);
  const lane = { maxRunning: 1, maxWaiting: 1, now: () => 0 };
  const [caller, stranger] = [createLookupLane(lane), createLookupLane(lane)];
  await using own = await start({ starts: { lanes: { caller, stranger } } });
  const waiting = await workloads.database.transaction().execute(async (tx) => {
    await sql`select from resources where name = 'crowded' for update`.execute(tx);
    const strangers = [send('crowded', { at: own }), send('crowded', { at: own })];
    await expect.poll(() => stranger.isFull).toBe(true);
    const { status, code, headers } = await send('crowded', { at: own });
    expect([status, code, headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '1']);
    return [...strangers, send('crowded', { at: own, key: member.key })];
  });
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await own.registry.metrics()).toMatch(/^berth_gateway_refusals_total\{limit="starts".*\} 1$/m);
});

test('invented paths are told apart from real ones in few statements', async () => {
  await write('post', 'told', [http('told/apart', publicly)]);
  const databaseUrl = workloads.api.databaseUrl;
  const catalogue = createWorkloadCache({ database: workloads.database, databaseUrl, logger: silent });
  await using _closing = { [Symbol.asyncDispose]: catalogue.close };
  const { database, count } = countStatements(workloads.database);
  const triggers = createTriggerCache(catalogue.notices, { database, logger: silent });
  const named = (name: string, workspace = 'main') =>
    ({ by: 'trigger', workspace, name, isWhole: true, target: name }) as const;
  const invented = Array.from({ length: 100 }, (_, n) => [
    named(`told/${n}`),
    named('told/apart', `nowhere-${n}`),
    named('told/apart', randomUUID()),
    named(`agents/${n}`),
    named(`%2e/${n}`),
  ]).flat();
  const found = await Promise.all([...invented, named('told/apart')].map((name) => triggers.find(name)));
  expect(found.slice(0, -1).filter((each) => each !== undefined)).toEqual([]);
  expect(found.at(-1)).toMatchObject({ name: 'told', triggerId: 'hook', isPublic: true });
  // One statement for the first path alone and one for the others; then the real one is read.
  expect(count()).toBeLessThanOrEqual(4);
});

test('while PostgreSQL is away a request is told to try again, and nothing starts twice', async () => {
  await write('post', 'outage', [http('outage', publicly)]);
  await using line = await openDatabaseLine(workloads.api.databaseUrl);
  await using own = await start({ starts: { database: line.database } });
  line.become('cut');
  const answer = await send('outage', { at: own });
  expect([answer.status, answer.code, answer.body.error.safe_to_retry_request]).toEqual([
    503,
    'PLATFORM_UNAVAILABLE',
    true,
  ]);
  line.become('open');
  await expect.poll(async () => (await send('outage', { at: own })).status).toBe(200);
  expect(await executionsOf('outage')).toHaveLength(1);
});

test('the gateway role starts executions within the limits of its settings', async () => {
  await write('post', 'served', [http('served', publicly)]);
  const roleWith = (limits: Record<string, number>) =>
    startGateway({
      config: GatewayConfig.parse({ port: 0 }),
      limits: { limits, tiers: {} },
      scaling: { requestsPerInstance: 10, idleSeconds: 60 },
      ...{ brand, workloadDomain: 'example.org', databaseUrl: workloads.api.databaseUrl, logger: silent },
      registry: createMetricsRegistry({ role: 'gateway' }),
    });
  const statuses: number[] = [];
  for (const limits of [{}, { execution_bytes: 1 }]) {
    const role = await roleWith(limits);
    await using _stopping = { [Symbol.asyncDispose]: role.stop };
    for (const key of [undefined, member.key]) {
      const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
      const answer = await fetch(`${role.address}/main/served`, { method: 'POST', headers });
      statuses.push(answer.status);
      await answer.arrayBuffer();
    }
  }
  expect(statuses).toEqual([200, 200, 429, 429]);
  expect((await executionsOf('served')).map(({ created_by }) => created_by)).toEqual(['trigger:hook', member.id]);
});

test('the log line names workspace, job, trigger and execution, never the body; calls by key are in the audit log', async () => {
  await write('post', 'logged', [http('logged', publicly)]);
  const { body } = await send('logged', { key: member.key, body: { secret: 'argument-of-a-task' } });
  await send('logged', { body: {} });
  const ofJob = () => lines.map((line) => JSON.parse(line)).filter(({ job }) => job === 'logged');
  await expect.poll(() => ofJob().length).toBe(2);
  const { id } = await workloads.database
    .selectFrom('executions')
    .select('id')
    .where('external_id', '=', body.executionId)
    .executeTakeFirstOrThrow();
  expect(ofJob()[0]).toMatchObject({
    ...{ event: 'request', method: 'POST', status: 200, workspace: 'main', trigger: 'hook' },
    ...{ execution: id, subject: member.id },
  });
  expect(lines.join('')).not.toContain('argument-of-a-task');
  expect(await gateway.registry.metrics()).toMatch(
    /^berth_gateway_request_seconds_count\{(?=.*kind="trigger")(?=.*status="200").*\} [1-9]/m,
  );
  await gateway.calls.flush();
  const audited = await workloads.database
    .selectFrom('audit_log')
    .select(['subject', 'uses'])
    .where('action', '=', 'workload.call')
    .where('target', '=', 'job/logged')
    .execute();
  expect(audited).toEqual([{ subject: member.id, uses: 1 }]);
});

test('the limits of a key and of an address count requests to paths', async () => {
  await write('post', 'rated', [http('rated', publicly)]);
  await using limited = await start({
    isTrusted: (address) => address === '127.0.0.1',
    callers: {
      perKey: { perSecond: 1, burst: 1 },
      perAddress: { perSecond: 1, burst: 3 },
      now: () => 0,
    },
  });
  const from = (address: string, key?: string) =>
    refused('rated', { at: limited, key, headers: { 'x-forwarded-for': address } });
  expect([await from('198.51.100.1', member.key), await from('198.51.100.1', member.key)]).toEqual([
    [200, null],
    [429, 'RATE_LIMITED'],
  ]);
  expect([await from('198.51.100.1'), await from('198.51.100.1')]).toEqual([
    [200, null],
    [429, 'RATE_LIMITED'],
  ]);
});

test('on any other host the path belongs to the workload of that host', async () => {
  await write('post', 'hosted', [http('hosted', publicly)]);
  const at = (host: string) => sendToHost(gateway.url, host, { path: '/main/hosted', method: 'POST' });
  expect(await at('shop.example.com')).toMatchObject({ status: 404 });
  expect(await at('run.example.org')).toMatchObject({ status: 200 });
  expect(await executionsOf('hosted')).toHaveLength(1);
});
