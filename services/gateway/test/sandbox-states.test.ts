// Outcome of a request while a sandbox is created, ends, fails, is switched off, or has a runner that is away.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNotifier, routesChannel } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  call,
  heardIn,
  type SandboxesBehindIngress,
  startSandboxesBehindIngress,
  type Wish,
} from './sandboxes-behind-ingress.ts';
import type { TestGateway } from './test-gateway.ts';

let sandboxes: SandboxesBehindIngress;
let gateway: TestGateway;
/** Gives up after 1.5 s; the other gateway waits for a sandbox until the end of the test. */
let impatient: TestGateway;
let key: string;

beforeAll(async () => {
  sandboxes = await startSandboxesBehindIngress();
  gateway = await sandboxes.startGateway('tunnel', {
    patienceMs: 3_600_000,
    silentMs: 30_000,
    limits: { jsonBytes: 10_000, multipartPartBytes: 50_000 },
  });
  impatient = await sandboxes.startGateway('tunnel', { patienceMs: 1_500, silentMs: 5_000 });
  key = (await sandboxes.api.user({ memberOf: 'main' })).key;
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await impatient[Symbol.asyncDispose]();
  await sandboxes[Symbol.asyncDispose]();
});

const ask = (name: string, path = '/x', wish: Wish = {}, { port } = gateway) =>
  call(port, `/main/sandboxes/${name}${path}`, {
    ...wish,
    headers: { authorization: `Bearer ${key}`, ...wish.headers },
  });
const errorIn = ({ status, headers, body }: Awaited<ReturnType<typeof ask>>) => {
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  return { status, code: JSON.parse(body).error.code as string, error: JSON.parse(body).error, headers };
};

describe('R-61: the first call after a creation succeeds', () => {
  test('also where the name was asked for a moment before, at two gateways, one of them deaf to notices', async () => {
    await using deaf = await sandboxes.startGateway('local', { isDeaf: true });
    const notify = createNotifier(sandboxes.database, routesChannel);
    const tookMs: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const name = `fresh-${round}`;
      const before = await Promise.all([ask(name), ask(name, '/x', {}, deaf), ask(name, '/x', {}, deaf)]);
      expect(before.map(({ status }) => status)).toEqual([404, 404, 404]);
      const { uid } = await sandboxes.addSandbox({ name });
      notify(uid);
      const startedAt = performance.now();
      const first = await Promise.all([ask(name), ask(name, '/x', {}, deaf)]);
      tookMs.push(performance.now() - startedAt);
      expect(first.map(({ status }) => status)).toEqual([200, 200]);
    }
    tookMs.sort((a, b) => a - b);
    console.log(`first call after the row: p50 ${tookMs[10]?.toFixed(1)} ms, most ${tookMs.at(-1)?.toFixed(1)} ms`);
  });

  test('also when it asks while a question that was asked before is still open', async () => {
    for (let round = 0; round < 8; round += 1) {
      const name = `racing-${round}`;
      // Constant requests, so that a query is always under way.
      const stop = new AbortController();
      const others = Array.from({ length: 4 }, async () => {
        while (!stop.signal.aborted) await ask(name);
      });
      await sleep(10);
      await sandboxes.addSandbox({ name });
      const { status } = await ask(name);
      stop.abort();
      await Promise.all(others);
      expect(status).toBe(200);
    }
  });

  test('one of the same name after a deletion is the new one, although its predecessor still runs', async () => {
    const name = 'again';
    const old = await sandboxes.addSandbox({ name });
    expect((await ask(name)).status).toBe(200);
    await sql`update resources set status = 'TERMINATED', terminated_at = now() where uid = ${old.uid}`.execute(
      sandboxes.database,
    );
    await sandboxes.database.deleteFrom('host_labels').where('resource_uid', '=', old.uid).execute();
    sandboxes.ingress.endpoints.delete(old.instance);
    await sandboxes.addSandbox({ name });
    // No notice was sent: the runner answers that it does not know the old instance, and the cache entry is marked
    // stale.
    const unknown = () => sandboxes.ingress.answers.filter((answer) => answer === 'unknown').length;
    const before = unknown();
    expect((await ask(name)).status).toBe(200);
    expect((await ask(name)).status).toBe(200);
    // The old instance is not tried a second time.
    expect(unknown() - before).toBeLessThanOrEqual(1);
  });
});

describe('a sandbox that has ended is not found', () => {
  test('from the moment on at which a rule ends it, and by no later than that', async () => {
    const { name } = await sandboxes.addSandbox({ expiresInSeconds: 1.2 });
    const startedAt = performance.now();
    let letInAt = 0;
    let status = 200;
    while (status === 200 && performance.now() < startedAt + 30_000) {
      const sentAt = performance.now() - startedAt;
      ({ status } = await ask(name));
      if (status === 200) letInAt = sentAt;
    }
    expect(status).toBe(404);
    // The end of the sandbox was stored before `startedAt` was taken.
    expect(letInAt).toBeLessThan(1_200);
    expect(errorIn(await ask(name)).code).toBe('WORKLOAD_NOT_FOUND');
  });

  test('and its name is free for the next at once', async () => {
    const { name, uid } = await sandboxes.addSandbox({ expiresInSeconds: 0.3 });
    await ask(name);
    await sleep(350);
    await sql`update resources set status = 'TERMINATED', terminated_at = now() where uid = ${uid}`.execute(
      sandboxes.database,
    );
    await sandboxes.database.deleteFrom('host_labels').where('resource_uid', '=', uid).execute();
    await sandboxes.addSandbox({ name });
    expect((await ask(name)).status).toBe(200);
  });

  test.each(['TERMINATED', 'DELETING'])('when it is %s', async (status) => {
    const { name } = await sandboxes.addSandbox({ status });
    expect(errorIn(await ask(name))).toMatchObject({ status: 404, code: 'WORKLOAD_NOT_FOUND' });
  });
});

test('a failed sandbox is 503 at once, and the answer says what to do', async () => {
  const { name } = await sandboxes.addSandbox({ status: 'FAILED', instanceState: undefined });
  const { status, code, error, headers } = errorIn(await ask(name));
  expect([status, code]).toEqual([503, 'WORKLOAD_UNAVAILABLE']);
  expect(error.action).toContain('create it again');
  expect(headers['retry-after']).toBeDefined();
});

test('R-62: errors are JSON, never HTML, also for a browser', async () => {
  const { name } = await sandboxes.addSandbox({ status: 'FAILED', instanceState: undefined });
  for (const [asked, status] of [
    [name, 503],
    ['no-such-sandbox', 404],
  ] as const)
    expect(errorIn(await ask(asked, '/x', { headers: { accept: 'text/html' } })).status).toBe(status);
});

test('a disabled sandbox is 503', async () => {
  const { name } = await sandboxes.addSandbox({ isEnabled: false });
  expect(errorIn(await ask(name))).toMatchObject({ status: 503, code: 'WORKLOAD_UNAVAILABLE' });
});

test('while it is made a request waits, and reaches it when it is there', async () => {
  const { name, uid } = await sandboxes.addSandbox({ status: 'DEPLOYING', instanceState: undefined });
  const asked = ask(name, '/x', { method: 'POST', body: 'hello' });
  await sleep(500);
  await sandboxes.addInstance(uid);
  createNotifier(sandboxes.database, routesChannel)(uid);
  expect(heardIn(await asked).bytes).toBe(5);
});

test('no sandbox is counted as demand: nothing would scale it', async () => {
  const { name, uid } = await sandboxes.addSandbox({ status: 'DEPLOYING', instanceState: undefined });
  expect((await ask(name, '/x', {}, impatient)).status).toBe(503);
  await sandboxes.addInstance(uid);
  await Promise.all(Array.from({ length: 30 }, () => ask(name)));
  const { rows } = await sql<{
    count: number;
  }>`select (select count(*) from workload_demand where resource_uid = ${uid})
    + (select count(*) from outbox where key = ${uid}) as count`.execute(sandboxes.database);
  expect(Number(rows[0]?.count)).toBe(0);
});

describe('a runner that is away', () => {
  test('keeps its sandboxes: 503 with Retry-After once a request has waited, and an answer when it is back', async () => {
    const runnerId = randomUUID();
    await sql`insert into runners (id, name, region, status, ingress_address, ingress_secret)
      select ${runnerId}, ${runnerId}, region, 'lost', ingress_address, ingress_secret from runners
      where id = ${sandboxes.ingress.runnerId}`.execute(sandboxes.database);
    const { name, instance } = await sandboxes.addSandbox({ runnerId });
    const startedAt = performance.now();
    const { status, code, error, headers } = errorIn(await ask(name, '/x', {}, impatient));
    expect([status, code, headers['retry-after']]).toEqual([503, 'WORKLOAD_UNAVAILABLE', '5']);
    expect(error).toMatchObject({
      message: expect.stringContaining('is kept'),
      dispatch_state: 'not_dispatched',
      retryable: true,
    });
    expect(performance.now() - startedAt).toBeGreaterThan(1_400);
    const asked = ask(name);
    await sleep(300);
    await sql`update instances set runner_id = ${sandboxes.ingress.runnerId} where id = ${instance}`.execute(
      sandboxes.database,
    );
    expect((await asked).status).toBe(200);
  });
});

describe('connections live as long as something moves', () => {
  test('R-10: a stream that moves has no limit in all', async () => {
    const { name } = await sandboxes.addSandbox();
    const said = await ask(name, '/ticks?count=11&everyMs=500', {}, impatient);
    expect(said.body).toMatch(/^tick 0\n.*tick 10\nthe end$/s);
  });

  test('R-65: its last bytes come without a newline', async () => {
    const { name } = await sandboxes.addSandbox();
    expect((await ask(name, '/hangs-up')).body).toBe('last bytes, no length and no newline');
  });

  test('one without a byte ends: 504 before an answer, a cut one within it', async () => {
    const { name } = await sandboxes.addSandbox();
    expect(errorIn(await ask(name, '/silent', {}, impatient))).toMatchObject({ status: 504, code: 'WORKLOAD_TIMEOUT' });
    await expect(ask(name, '/ticks?count=2&everyMs=60000', {}, impatient)).rejects.toThrow();
  });
});

describe('U-05: bodies', () => {
  test('of JSON and parts of a large file have their limits, uploads have none', async () => {
    const { name } = await sandboxes.addSandbox();
    const send = (path: string, bytes: number, type: string, method = 'PUT') =>
      ask(name, path, { method, body: randomBytes(bytes), headers: { 'content-type': type } });
    expect(errorIn(await send('/process', 10_001, 'application/json', 'POST'))).toMatchObject({ status: 413 });
    expect((await send('/process', 10_000, 'application/json', 'POST')).status).toBe(200);
    const part = '/filesystem-multipart/some-id/part?partNumber=1';
    expect(errorIn(await send(part, 80_000, 'multipart/form-data; boundary=x'))).toMatchObject({ status: 413 });
    expect((await send(part, 50_000, 'multipart/form-data; boundary=x')).status).toBe(200);
    expect((await send(part, 50_000, 'application/octet-stream')).status).toBe(200);
    const upload = await send('/filesystem//tmp/large', 5_000_000, 'multipart/form-data; boundary=x');
    expect(heardIn(upload).bytes).toBe(5_000_000);
  });
});

test('a request is one line in the log, with its port and without its credential', async () => {
  const lines: string[] = [];
  const logger = createLogger(
    { role: 'gateway' },
    { level: 'debug', destination: { write: (line) => void lines.push(line) } },
  );
  await using other = await sandboxes.startGateway('tunnel', { logger });
  const { name } = await sandboxes.addSandbox();
  await call(other.port, `/main/sandboxes/${name}/terminal?token=${key}`);
  await ask(name, `/port/${sandboxes.program.appPort}/x?secret=s3cret`, {}, other);
  const events = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  expect(events).toHaveLength(2);
  expect(events[1]).toMatchObject({ kind: 'sandbox', workload: name, port: sandboxes.program.appPort, status: 200 });
  for (const secret of [key, 's3cret']) expect(lines.join('')).not.toContain(secret);
});
