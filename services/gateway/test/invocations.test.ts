// Asynchronous calls: accepted as rows, performed by a gateway, told by callbacks.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { bytesPerMb, headerNames } from '@berth/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { type ApiWithWorkloads, startApiWithWorkloads } from './api-with-workloads.ts';
import { directConnector, startUpstream, type Upstream } from './proxy-fixture.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './test-gateway.ts';

const brand = conformanceBrand();
const names = headerNames(brand);

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let workloads: ApiWithWorkloads;
let upstream: Upstream;
let gateway: TestGateway;
let member: { key: string; id: string };
let foreigner: { key: string; id: string };
let runner: string;
/** Loses its rights after its call was accepted. */
let caller: { key: string; id: string };
/** What the agents received, in order, and how they answer. */
const received: Received[] = [];
let answer: (run: Received, response: ServerResponse) => unknown;

const start = (options: TestGatewayOptions = {}) =>
  startTestGateway(workloads, directConnector(upstream.port), { patienceMs: 300, ...options });
const performing = (others: TestGatewayOptions['asyncCalls'] = {}) => start({ asyncCalls: { atOnce: 16, ...others } });

beforeAll(async () => {
  workloads = await startApiWithWorkloads();
  upstream = await startUpstream(async (request, response) => {
    const { method, url, headers } = request;
    const run = { method, url, headers, body: await text(request) };
    received.push(run);
    answer(run, response);
  });
  // Accepts calls and performs none: each test begins with its own.
  gateway = await start();
  await workloads.api.addWorkspace('other');
  member = await workloads.api.user({ memberOf: 'main' });
  foreigner = await workloads.api.user({ memberOf: 'other' });
  runner = await workloads.addRunner();
});
beforeEach(async () => {
  received.length = 0;
  answer = (_, response) => response.end('done');
  await sql`truncate deliveries, invocations`.execute(workloads.database);
});
afterAll(async () => {
  upstream.server.closeAllConnections();
  upstream.server.close();
  await gateway[Symbol.asyncDispose]();
  await workloads[Symbol.asyncDispose]();
});

const callbackUrl = 'https://hooks.example.com/done';
const hook = (path: string | undefined, configuration: object = {}, more: object = {}) => ({
  ...{ id: 'hook', type: 'http-async', enabled: true, ...more },
  configuration: { ...(path !== undefined && { path }), ...configuration },
});

/** A ready agent with a trigger at a path of its name. */
async function deploy(name: string, configuration: object = {}, spec: object = {}): Promise<string> {
  const { uid, revision } = await workloads.deploy(name, { triggers: [hook(name, configuration)], ...spec });
  await workloads.addInstance(uid, revision, runner);
  return uid;
}

interface Sent {
  readonly key?: string | undefined;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly at?: TestGateway;
}

async function send(path: string, { key = member.key, method = 'POST', body, headers = {}, at = gateway }: Sent = {}) {
  const authorization = key === '' ? {} : { authorization: `Bearer ${key}` };
  const sent = await fetch(`${at.url}/main/${path}`, {
    ...{ method, headers: { ...authorization, ...headers } },
    ...(body !== undefined && { body }),
  });
  const code = sent.headers.get(`x-${brand.long}-error-code`);
  return { status: sent.status, code, id: sent.headers.get(names.invocationId) ?? '', text: await sent.text() };
}

const accept = async (path: string, sent?: Sent): Promise<string> => {
  const { status, id, text: body } = await send(path, sent);
  expect([status, body]).toEqual([200, '{"success":true}']);
  return id;
};

const refused = async (path: string, sent?: Sent) => {
  const { status, code } = await send(path, sent);
  return [status, code];
};

const row = (id: string) =>
  workloads.database.selectFrom('invocations').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const statusOf = async (id: string) => (await row(id)).status;
const hasEnded = (id: string) => expect.poll(async () => (await row(id)).ended_at, { timeout: 20_000 }).not.toBeNull();
const bodiesOf = async (id: string) =>
  (await workloads.database.selectFrom('deliveries').select('body').where('invocation_id', '=', id).execute()).map(
    ({ body }) => JSON.parse(body),
  );
const makeDue = (id: string) =>
  sql`update invocations set next_at = clock_timestamp() where id = ${id}`.execute(workloads.database);

test('a call is accepted at once and performed with the settings of its trigger', async () => {
  const uid = await deploy('settings', { retry: 3, timeout: 77, callbackUrl });
  const id = await accept('settings/run?x=1', {
    method: 'PUT',
    body: 'ask',
    headers: { 'content-type': 'text/plain' },
  });
  expect(await row(id)).toMatchObject({
    ...{ status: 'queued', resource_uid: uid, resource_name: 'settings', trigger_id: 'hook', subject: member.id },
    ...{ method: 'PUT', path: '/run?x=1', max_runs: 4, timeout_seconds: 77, body_bytes: 3, is_by_member: true },
  });
  expect(received).toEqual([]);
  await using _ = await performing();
  await hasEnded(id);
  expect(received).toEqual([
    {
      ...{ method: 'PUT', url: '/run?x=1', body: 'ask' },
      headers: expect.objectContaining({
        'content-type': 'text/plain',
        'content-length': '3',
        [`x-${brand.long}-subject`.toLowerCase()]: member.id,
        [names.invocationId.toLowerCase()]: id,
        [names.invocationRun.toLowerCase()]: '1',
      }),
    },
  ]);
  expect(await row(id)).toMatchObject({
    ...{ status: 'succeeded', runs: 1, status_code: 200, response_bytes: 4, error: null },
    ...{ headers: null, body: null, claim_id: null },
  });
  const ended = (await row(id)).ended_at?.getTime() ?? 0;
  expect(await bodiesOf(id)).toEqual([
    {
      ...{ status_code: 200, response_body: 'done', response_length: 4, invocation_id: id },
      timestamp: Math.floor(ended / 1_000),
    },
  ]);
});

test('async=true at the address of an agent is a call too, and the agent does not see it', async () => {
  await deploy('plain');
  const id = await accept('agents/plain/run?a=1&async=true');
  await using _ = await performing();
  await hasEnded(id);
  expect(received.map(({ url, method }) => [method, url])).toEqual([['POST', '/run?a=1']]);
  expect(await row(id)).toMatchObject({ trigger_id: null, max_runs: 1, timeout_seconds: 900, status: 'succeeded' });
  expect(await bodiesOf(id)).toEqual([]);
});

test('a call at the agent’s own address has the settings of a trigger without a path', async () => {
  await workloads.deploy('own', { triggers: [hook(undefined, { retry: 2, timeout: 5, callbackUrl })] });
  const id = await accept('agents/own?async=true');
  expect(await row(id)).toMatchObject({ trigger_id: 'hook', max_runs: 3, timeout_seconds: 5 });
});

test('neither the key of the caller nor what it says about itself is stored', async () => {
  await deploy('clean');
  const id = await accept('clean', { headers: { [`x-${brand.long}-subject`]: 'forged', 'x-own': 'kept' } });
  const stored = JSON.stringify(await row(id));
  expect(stored).not.toContain(member.key);
  expect(stored).not.toContain('forged');
  expect((await row(id)).headers).toContain('x-own');
});

test('only agents are called so: functions refuse it, and a WebSocket too', async () => {
  await workloads.deploy('tools', {}, 'main', 'function');
  expect(await refused('functions/tools/mcp?async=true')).toEqual([400, 'BAD_REQUEST']);
});

test('who may not call the agent has no call accepted, and learns nothing', async () => {
  await deploy('private');
  for (const path of ['private', 'agents/private?async=true', 'absent', 'agents/absent?async=true']) {
    expect([path, await refused(path, { key: '' })]).toEqual([path, [401, 'AUTHENTICATION_REQUIRED']]);
    expect([path, await refused(path, { key: foreigner.key })]).toEqual([path, [404, 'WORKLOAD_NOT_FOUND']]);
  }
  const { count } = await workloads.database
    .selectFrom('invocations')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  expect(Number(count)).toBe(0);
});

test('a public path takes calls of anyone', async () => {
  await deploy('anyone', { authenticationType: 'public' });
  const id = await accept('anyone', { key: '' });
  await using _ = await performing();
  await hasEnded(id);
  expect(await row(id)).toMatchObject({ status: 'succeeded', subject: null, key_id: null, is_by_member: false });
  expect(received[0]?.headers[`x-${brand.long}-subject`.toLowerCase()]).toBeUndefined();
});

test('a body above the limit is refused before it is read, and an agent that is switched off too', async () => {
  await deploy('small');
  expect(await refused('small', { body: 'x'.repeat(bytesPerMb + 1) })).toEqual([413, 'REQUEST_ENTITY_TOO_LARGE']);
  await deploy('off', {}, { enabled: false });
  expect(await refused('off')).toEqual([503, 'WORKLOAD_UNAVAILABLE']);
});

test('requests with one Idempotency-Key are one call of their caller', async () => {
  await deploy('once');
  const headers = { 'idempotency-key': 'order-1' };
  const other = await workloads.api.user({ memberOf: 'main' });
  const ids = await Promise.all([
    accept('once', { headers }),
    accept('once', { headers }),
    accept('once', { headers, key: other.key }),
    accept('once', { headers: { 'idempotency-key': 'order-2' } }),
    accept('once'),
  ]);
  expect(ids[0]).toBe(ids[1]);
  expect(new Set(ids).size).toBe(4);
});

test('a workspace with ten thousand open calls has no more accepted', async () => {
  const uid = await deploy('full');
  await sql`insert into invocations (id, account_id, workspace_id, workspace_name, resource_uid, resource_name, is_by_member,
      method, path, body_bytes, max_runs, timeout_seconds)
    select gen_random_uuid(), account_id, workspaces.id, workspaces.name, ${uid}::uuid, 'full', true, 'POST', '/', 0, 1, 900
    from workspaces, generate_series(1, 10000) where workspaces.name = 'main'`.execute(workloads.database);
  expect(await refused('full')).toEqual([429, 'RATE_LIMITED']);
});

describe('a run that fails', () => {
  test.each([500, 503, 429, 408])('with %i is repeated until it succeeds, under the same id', async (status) => {
    const name = `again-${status}`;
    await deploy(name, { retry: 2, callbackUrl });
    answer = (_, response) => response.writeHead(received.length < 3 ? status : 200).end(`run ${received.length}`);
    const id = await accept(name, { body: 'same' });
    await using _ = await performing();
    await expect.poll(() => makeDue(id).then(() => statusOf(id)), { timeout: 20_000 }).toBe('succeeded');
    expect(received.map(({ body, headers }) => [body, headers[names.invocationRun.toLowerCase()]])).toEqual([
      ['same', '1'],
      ['same', '2'],
      ['same', '3'],
    ]);
    expect(await bodiesOf(id)).toEqual([expect.objectContaining({ status_code: 200, response_body: 'run 3' })]);
  });

  test('as often as its trigger allows is told with its last answer', async () => {
    await deploy('failing', { retry: 1, callbackUrl });
    answer = (_, response) => response.writeHead(502).end('broken');
    const id = await accept('failing');
    await using _ = await performing();
    await expect.poll(() => makeDue(id).then(() => statusOf(id)), { timeout: 20_000 }).toBe('failed');
    expect([received.length, (await row(id)).runs]).toEqual([2, 2]);
    expect(await bodiesOf(id)).toEqual([expect.objectContaining({ status_code: 502, response_body: 'broken' })]);
  });

  test('by the fault of the caller is not repeated', async () => {
    await deploy('refusing', { retry: 5, callbackUrl });
    answer = (_, response) => response.writeHead(422).end('no');
    const id = await accept('refusing');
    await using _ = await performing();
    await hasEnded(id);
    expect([await statusOf(id), received.length]).toEqual(['failed', 1]);
    expect(await bodiesOf(id)).toEqual([expect.objectContaining({ status_code: 422 })]);
  });

  test('because the agent is silent for longer than the trigger allows is told as a timeout', async () => {
    await deploy('silent', { timeout: 1, callbackUrl });
    answer = () => {};
    const id = await accept('silent');
    await using _ = await performing();
    await hasEnded(id);
    expect(await row(id)).toMatchObject({ status: 'failed', runs: 1, status_code: 504 });
    expect(await bodiesOf(id)).toEqual([expect.objectContaining({ status_code: 504 })]);
  });

  test('because the agent breaks off within its answer has no answer', async () => {
    await deploy('half', { callbackUrl });
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    };
    const id = await accept('half');
    await using _ = await performing();
    await hasEnded(id);
    expect(await row(id)).toMatchObject({ status: 'failed', status_code: 502 });
    expect(await bodiesOf(id)).toEqual([expect.objectContaining({ status_code: 502, response_length: 0 })]);
  });
});

test('a call waits for an agent without an instance, and no run is counted until one takes it', async () => {
  const { uid, revision } = await workloads.deploy('cold', { triggers: [hook('cold')] });
  const id = await accept('cold');
  await using _ = await performing();
  await expect.poll(async () => (await row(id)).error, { timeout: 20_000 }).toMatch(/No instance/);
  expect(await row(id)).toMatchObject({ status: 'queued', runs: 0 });
  await workloads.addInstance(uid, revision, runner);
  await expect.poll(() => makeDue(id).then(() => statusOf(id)), { timeout: 20_000 }).toBe('succeeded');
  expect([received.length, (await row(id)).runs]).toEqual([1, 1]);
});

test('a call that reaches no instance for an hour has failed, and its callback says why', async () => {
  await workloads.deploy('never', { triggers: [hook('never', { callbackUrl })] });
  const id = await accept('never');
  await sql`update invocations set accepted_at = now() - interval '1 hour' where id = ${id}`.execute(
    workloads.database,
  );
  await using _ = await performing();
  await hasEnded(id);
  expect(await row(id)).toMatchObject({ status: 'failed', runs: 0, status_code: 503 });
  const [body] = await bodiesOf(id);
  expect([body.status_code, JSON.parse(body.response_body).error.code]).toEqual([503, 'WORKLOAD_UNAVAILABLE']);
});

test.each([
  ['whose key was revoked', () => workloads.database.deleteFrom('api_keys').where('user_id', '=', caller.id).execute()],
  [
    'whose maker has left the workspace',
    () => workloads.database.deleteFrom('workspace_members').where('user_id', '=', caller.id).execute(),
  ],
])('a call %s is not performed', async (way, revoke) => {
  const name = `revoked-${way.length}`;
  await deploy(name, { callbackUrl });
  caller = await workloads.api.user({ memberOf: 'main' });
  const id = await accept(name, { key: caller.key });
  await revoke();
  await using _ = await performing();
  await hasEnded(id);
  expect([await statusOf(id), received]).toEqual(['failed', []]);
  expect(await bodiesOf(id)).toEqual([expect.objectContaining({ status_code: 403 })]);
});
test('a call of an agent that was deleted has failed, also where another one has its name by now', async () => {
  await deploy('gone', { callbackUrl });
  const id = await accept('gone');
  expect((await workloads.api.admin.delete('/agents/gone')).status).toBe(200);
  await sql`update resources set name = name || '-old' where name = 'gone'`.execute(workloads.database);
  await deploy('gone');
  await using _ = await performing();
  await hasEnded(id);
  expect([await statusOf(id), received]).toEqual(['failed', []]);
  expect(await bodiesOf(id)).toEqual([expect.objectContaining({ status_code: 404 })]);
});

describe('a call that its gateway has left within a run', () => {
  /** As a killed gateway leaves it. */
  const abandon = (id: string, runs: number) =>
    sql`update invocations set status = 'running', runs = ${runs}, claim_id = ${randomUUID()},
      claimed_until = now() - interval '1 second' where id = ${id}`.execute(workloads.database);

  test('is unknown in the end, because the agent may have done its work', async () => {
    await deploy('left', { callbackUrl });
    const id = await accept('left');
    await abandon(id, 1);
    await using _ = await performing();
    await hasEnded(id);
    expect([await row(id), received]).toEqual([expect.objectContaining({ status: 'unknown', runs: 1 }), []]);
    expect(await bodiesOf(id)).toEqual([expect.objectContaining({ status_code: 0, response_body: '' })]);
  });

  test('is run again while its trigger allows', async () => {
    await deploy('left-again', { retry: 1, callbackUrl });
    const id = await accept('left-again');
    await abandon(id, 1);
    await using _ = await performing();
    await hasEnded(id);
    expect([await row(id), received.length]).toEqual([expect.objectContaining({ status: 'succeeded', runs: 2 }), 1]);
  });

  test('before the run began is performed by another as if nothing had happened', async () => {
    await deploy('left-early');
    const id = await accept('left-early');
    await sql`update invocations set claim_id = ${randomUUID()}, claimed_until = now() - interval '1 second'
      where id = ${id}`.execute(workloads.database);
    await using _ = await performing();
    await hasEnded(id);
    expect([await row(id), received.length]).toEqual([expect.objectContaining({ status: 'succeeded', runs: 1 }), 1]);
  });
});

test('a gateway whose lease has ended records nothing, and the callback is told once', async () => {
  await deploy('late', { retry: 1, callbackUrl });
  const held = Promise.withResolvers<void>();
  answer = async (_, response) => {
    const isFirst = received.length === 1;
    if (isFirst) await held.promise;
    response.end(isFirst ? 'late' : 'in time');
  };
  const id = await accept('late');
  // It does not notice that its lease ends: the first look is after ten seconds.
  await using _slow = await performing();
  await expect.poll(() => received.length).toBe(1);
  await sql`update invocations set claimed_until = now() where id = ${id}`.execute(workloads.database);
  await hasEnded(id);
  held.resolve();
  expect([await row(id), received.length]).toEqual([expect.objectContaining({ status: 'succeeded', runs: 2 }), 2]);
  expect(await bodiesOf(id)).toEqual([expect.objectContaining({ response_body: 'in time' })]);
});

test('a gateway that stops gives back what it has not sent, and takes no more', async () => {
  await workloads.deploy('waiting', { triggers: [hook('waiting')] });
  const id = await accept('waiting');
  const stopping = await start({ patienceMs: 60_000, asyncCalls: { atOnce: 1 } });
  await expect.poll(async () => (await row(id)).claim_id).not.toBeNull();
  await stopping[Symbol.asyncDispose]();
  expect(await row(id)).toMatchObject({ status: 'queued', claim_id: null, runs: 0 });
});

test('of one agent only so many calls run at once, and others do not wait for it', async () => {
  await deploy('busy');
  await deploy('other');
  const open = new Set<ServerResponse>();
  let most = 0;
  answer = ({ headers }, response) => {
    if (headers[`x-${brand.long}-workload`.toLowerCase()] === 'other') return response.end();
    open.add(response);
    most = Math.max(most, open.size);
    setTimeout(() => {
      open.delete(response);
      response.end();
    }, 20);
  };
  const busy: string[] = [];
  for (let n = 0; n < 12; n += 1) busy.push(await accept('busy'));
  const other = await accept('other');
  await using _one = await performing({ perAgent: 2 });
  await using _two = await performing({ perAgent: 2 });
  await hasEnded(other);
  await Promise.all(busy.map(hasEnded));
  expect([most <= 2, received.length]).toEqual([true, 13]);
});

test('several gateways perform each call once', async () => {
  await deploy('shared', { callbackUrl });
  const ids: string[] = [];
  for (let n = 0; n < 40; n += 1) ids.push(await accept('shared', { body: String(n) }));
  await using _one = await performing();
  await using _two = await performing();
  await using _three = await performing();
  await Promise.all(ids.map(hasEnded));
  expect(received.map(({ body }) => Number(body)).toSorted((left, right) => left - right)).toEqual(
    Array.from({ length: 40 }, (_, n) => n),
  );
  for (const id of ids) expect(await bodiesOf(id)).toHaveLength(1);
});

test('the answer is told as text, also where the caller takes it compressed, and bytes are told in base64', async () => {
  await deploy('encoded', { callbackUrl });
  answer = ({ headers }, response) =>
    headers['accept-encoding'] === undefined
      ? response.end('plain')
      : response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('plain'));
  const textual = await accept('encoded', { headers: { 'accept-encoding': 'gzip' } });
  await using _ = await performing();
  await hasEnded(textual);
  expect(await bodiesOf(textual)).toEqual([expect.objectContaining({ response_body: 'plain', response_length: 5 })]);
  const bytes = Buffer.from([0, 255, 254]);
  answer = (_run, response) => response.end(bytes);
  const binary = await accept('encoded');
  await hasEnded(binary);
  expect(await bodiesOf(binary)).toEqual([
    expect.objectContaining({ response_body: bytes.toString('base64'), response_encoding: 'base64' }),
  ]);
});

test('of a large answer the beginning is told, with its whole length', async () => {
  await deploy('large', { callbackUrl });
  answer = (_, response) => response.end('x'.repeat(1_000_000));
  const id = await accept('large');
  await using _ = await performing();
  await hasEnded(id);
  expect(await bodiesOf(id)).toEqual([
    expect.objectContaining({ response_body: 'x'.repeat(256 * 1_024), response_length: 1_000_000 }),
  ]);
});
