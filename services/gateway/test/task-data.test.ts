// A task reads its arguments at the gateway, without a credential, at an address that cannot be guessed.
import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { bytesPerMb } from '@berth/contract';
import { gatewayKey } from '@berth/identity';
import { taskDataToken, taskDataUrl } from '@berth/jobs';
import { createLogger } from '@berth/telemetry';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { openDatabaseLine } from '../../../tests/harness/database-line.ts';
import { openAtHost, sendToHost } from '../../../tests/harness/send-to-host.ts';
import { type ApiWithWorkloads, startApiWithWorkloads } from './api-with-workloads.ts';
import { countStatements } from './count-statements.ts';
import { directConnector, startUpstream } from './proxy-fixture.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './test-gateway.ts';

const brand = conformanceBrand();
const hiddenPath = '/-/tasks/***';
let workloads: ApiWithWorkloads;
let gateway: TestGateway;
let key: Buffer;
const lines: string[] = [];

beforeAll(async () => {
  workloads = await startApiWithWorkloads();
  key = await gatewayKey(workloads.database, 'task-data');
  const destination = { write: (line: string) => void lines.push(line) };
  gateway = await start({ logger: createLogger({ role: 'gateway' }, { level: 'debug', destination }) });
  const runtime = { image: 'registry.example.org/a:1' };
  const made = await workloads.api.admin.post('/jobs', { metadata: { name: 'work' }, spec: { runtime } });
  expect([made.status, made.text]).toEqual([200, expect.any(String)]);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await workloads[Symbol.asyncDispose]();
});

const start = (options: TestGatewayOptions = {}) => startTestGateway(workloads, directConnector(1), options);

/** Starts an execution and returns its id in the database. */
async function execution(tasks: readonly object[]): Promise<string> {
  const { status, body, text } = await workloads.api.admin.post('/jobs/work/executions', { tasks });
  if (status !== 200) throw new Error(text);
  const { id } = await workloads.database
    .selectFrom('executions')
    .select('id')
    .where('external_id', '=', body.executionId)
    .executeTakeFirstOrThrow();
  return id;
}

const end = (id: string) =>
  workloads.database
    .updateTable('executions')
    .set({ status: 'succeeded', completed_at: new Date() })
    .where('id', '=', id)
    .execute();

const urlOf = (id: string, index: number, { url } = gateway) => taskDataUrl(url, taskDataToken(key, id, index));

const tasksAt = async (url: string): Promise<unknown[]> => JSON.parse(await (await fetch(url)).text()).tasks;

const errorIn = async (answer: Response): Promise<{ message: string }> => JSON.parse(await answer.text()).error;

/** The parts of a refusal that do not differ each time. */
async function refusalAt(url: string, init: RequestInit = {}): Promise<unknown[]> {
  const answer = await fetch(url, init);
  return [answer.status, answer.headers.get(`x-${brand.long}-error-code`), (await errorIn(answer)).message];
}

const notFound = [404, 'TASK_DATA_NOT_FOUND', expect.stringContaining('has ended')];

test('a task reads the arguments of its execution as JSON that no cache keeps', async () => {
  const id = await execution([{ n: 0 }, { n: 'ä"\\' }, {}]);
  const answer = await fetch(urlOf(id, 1));
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.any(String),
    [`x-${brand.long}-source`.toLowerCase()]: 'platform',
  });
  expect(await answer.json()).toEqual({ tasks: [{ n: 0 }, { n: 'ä"\\' }, {}] });
  expect((await fetch(`${urlOf(id, 1)}?any=query`)).status).toBe(200);
});

test('HEAD has the headers of GET and no body', async () => {
  const url = urlOf(await execution([{ n: 1 }]), 0);
  const answer = await fetch(url, { method: 'HEAD' });
  expect([answer.status, await answer.text()]).toEqual([200, '']);
  const { length } = Buffer.from(await (await fetch(url)).arrayBuffer());
  expect(answer.headers.get('content-length')).toBe(String(length));
});

test('a wrong token, a token of another key and an unknown execution get the same 404', async () => {
  const id = await execution([{}]);
  const token = taskDataToken(key, id, 0);
  const flipped = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
  for (const wrong of [flipped, 'nonsense', '', '%00', taskDataToken(randomBytes(32), id, 0), `${token}/`])
    expect(await refusalAt(`${gateway.url}/-/tasks/${wrong}`)).toEqual(notFound);
  expect(await refusalAt(urlOf(randomUUID(), 0))).toEqual(notFound);
  expect(await refusalAt(urlOf(id, 1))).toEqual(notFound);
});

test('an execution that has ended gives its arguments no longer', async () => {
  const id = await execution([{ n: 0 }]);
  let clock = 0;
  await using own = await start({ taskData: { now: () => clock } });
  expect((await fetch(urlOf(id, 0, own))).status).toBe(200);
  await end(id);
  clock += 10_000;
  expect(await refusalAt(urlOf(id, 0, own))).toEqual(notFound);
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is 404 also with a right token', async (method) => {
  expect(await refusalAt(urlOf(await execution([{}]), 0), { method })).toEqual(notFound);
});

test('arguments of more than 1 MiB together are cut to the task’s own; the list keeps its length', async () => {
  const text = 'x'.repeat(bytesPerMb / 4);
  const id = await execution(Array.from({ length: 5 }, (_, n) => ({ n, text })));
  for (const index of [0, 2, 4]) {
    const tasks = await tasksAt(urlOf(id, index));
    expect(tasks).toEqual(Array.from({ length: 5 }, (_, n) => (n === index ? { n, text } : null)));
  }
});

test('many small arguments are sent whole', async () => {
  const count = 20_000;
  const id = await execution(Array.from({ length: count }, (_, n) => ({ n })));
  const tasks = await tasksAt(urlOf(id, count - 1));
  expect([tasks.length, tasks[0], tasks[count - 1]]).toEqual([count, { n: 0 }, { n: count - 1 }]);
});

test('more than 1 KiB is compressed for a client that accepts gzip, and for no other', async () => {
  const [large, small] = [await execution([{ text: 'x'.repeat(5_000) }]), await execution([{}])];
  // `fetch` would decompress the body itself.
  const ask = async (id: string, encoding: string) => {
    const path = new URL(urlOf(id, 0)).pathname;
    const answer = await openAtHost(gateway.url, 'localhost', { path, headers: { 'accept-encoding': encoding } });
    return { encoding: answer.headers['content-encoding'], bytes: await buffer(answer) };
  };
  const plain = await ask(large, 'identity');
  const zipped = await ask(large, 'br, gzip;q=0.9');
  expect([plain.encoding, zipped.encoding, (await ask(small, 'gzip')).encoding]).toEqual([
    undefined,
    'gzip',
    undefined,
  ]);
  expect(zipped.bytes.length).toBeLessThan(1_000);
  expect(gunzipSync(zipped.bytes)).toEqual(plain.bytes);
});

test('on any other host the path belongs to the workload of that host', async () => {
  const upstream = await startUpstream((request, response) => void response.end(request.url));
  await using own = await startTestGateway(workloads, directConnector(upstream.port));
  const { uid, revision } = await workloads.deploy('open', { public: true });
  await workloads.addInstance(uid, revision, await workloads.addRunner());
  const path = new URL(urlOf(await execution([{ n: 0 }]), 0)).pathname;
  const at = (host: string) => sendToHost(own.url, host, { path });
  expect(await at('agt-open-main.local.example.org')).toMatchObject({ status: 200, text: path });
  expect(await at('shop.example.com')).toMatchObject({ status: 404, text: expect.not.stringContaining('TASK_DATA') });
  for (const host of ['run.example.org', 'example.org'])
    expect(await at(host)).toMatchObject({ status: 200, text: '{"tasks":[{"n": 0}]}' });
  upstream.server.closeAllConnections();
  upstream.server.close();
});

test('the limit of an address counts right and wrong tokens', async () => {
  await using limited = await start({
    isTrusted: (address) => address === '127.0.0.1',
    callers: { perAddress: { perSecond: 1, burst: 3 }, now: () => 0 },
  });
  const headers = { 'x-forwarded-for': '198.51.100.1' };
  const id = await execution([{}]);
  const statuses: number[] = [];
  for (const url of [
    urlOf(id, 0, limited),
    `${limited.url}/-/tasks/wrong`,
    urlOf(id, 0, limited),
    urlOf(id, 0, limited),
  ])
    statuses.push((await fetch(url, { headers })).status);
  expect(statuses).toEqual([200, 404, 200, 429]);
});

test('the log line names the execution and the task, never the token; the metrics count the request', async () => {
  const id = await execution([{ secret: 'argument-of-a-task' }]);
  const token = taskDataToken(key, id, 0);
  await (await fetch(taskDataUrl(gateway.url, token))).text();
  await (await fetch(`${gateway.url}/-/tasks/${token.slice(1)}`)).text();
  const requests = () => lines.map((line) => JSON.parse(line)).filter(({ path }) => path === hiddenPath);
  await expect
    .poll(() => requests().find(({ execution: named }) => named === id))
    .toMatchObject({
      ...{ event: 'request', method: 'GET', path: hiddenPath, task: 0, status: 200 },
    });
  expect(requests()).toContainEqual(expect.objectContaining({ code: 'TASK_DATA_NOT_FOUND', status: 404 }));
  expect(lines.join('')).not.toContain(token.slice(1));
  expect(lines.join('')).not.toContain('argument-of-a-task');
  expect(await gateway.registry.metrics()).toMatch(
    /^berth_gateway_request_seconds_count\{(?=.*kind="task")(?=.*status="200").*\} [1-9]/m,
  );
});

test('many tasks that start at once are one query, and a later start is another', async () => {
  const { database, count: queries } = countStatements(workloads.database);
  let clock = 0;
  await using own = await start({ taskData: { database, now: () => clock } });
  const count = 200;
  const id = await execution(Array.from({ length: count }, (_, n) => ({ n })));
  const readAll = () =>
    Promise.all(Array.from({ length: count }, async (_, n) => (await tasksAt(urlOf(id, n, own)))[n]));
  const expected = Array.from({ length: count }, (_, n) => ({ n }));
  expect(await readAll()).toEqual(expected);
  expect(queries()).toBe(1);
  clock += 10_000;
  expect(await readAll()).toEqual(expected);
  expect(queries()).toBe(2);
});

test('while PostgreSQL is away a task is told to try again, and reads its arguments once it is back', async () => {
  await using line = await openDatabaseLine(workloads.api.databaseUrl);
  await using own = await start({ taskData: { database: line.database } });
  const id = await execution([{ n: 0 }]);
  line.become('cut');
  const answer = await fetch(urlOf(id, 0, own));
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await errorIn(answer)).toMatchObject({ code: 'PLATFORM_UNAVAILABLE', safe_to_retry_request: true });
  line.become('open');
  await expect.poll(async () => (await fetch(urlOf(id, 0, own))).status).toBe(200);
});
