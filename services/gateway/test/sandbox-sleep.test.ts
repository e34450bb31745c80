// Requests to a sandbox that sleeps as soon as it is idle, through a real ingress: the process is stopped whenever no
// lease is held.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  call,
  heardIn,
  keepAsleep,
  type SandboxesBehindIngress,
  startSandboxesBehindIngress,
  ways,
} from './sandboxes-behind-ingress.ts';

let sandboxes: SandboxesBehindIngress;
let key: string;

beforeAll(async () => {
  sandboxes = await startSandboxesBehindIngress();
  key = (await sandboxes.api.user({ memberOf: 'main' })).key;
});
afterAll(() => sandboxes[Symbol.asyncDispose]());

const headers = () => ({ authorization: `Bearer ${key}` });

describe.each(ways)('through the %s', (way) => {
  test('wire check 15: a sleeper wakes for a request, and falls asleep soon after although connections are kept', async () => {
    await using gateway = await sandboxes.startGateway(way);
    const { name, instance } = await sandboxes.addSandbox();
    using sleeper = keepAsleep(sandboxes, instance);
    await expect.poll(() => sleeper.isAsleep).toBe(true);
    for (let round = 0; round < 2; round += 1) {
      const said = await Promise.all(
        Array.from({ length: 20 }, () => call(gateway.port, `/main/sandboxes/${name}/x`, { headers: headers() })),
      );
      expect(said.map((each) => heardIn(each).where)).toEqual(Array(20).fill('api'));
      // The gateway keeps an idle connection for a second, and the lease for another; the program would keep
      // connections for minutes.
      await expect.poll(() => sleeper.isAsleep).toBe(true);
      expect(sleeper.wakes).toBe(round + 1);
    }
  });

  test('a kept connection is never used on a sleeping sandbox: no request fails or stalls, whenever it comes', async () => {
    // A request on a connection to the stopped process would stay silent and end as 504.
    await using gateway = await sandboxes.startGateway(way, { silentMs: 10_000 });
    const { name, instance } = await sandboxes.addSandbox();
    using sleeper = keepAsleep(sandboxes, instance, { keepMs: 50 });
    for (let round = 0; round < 8; round += 1) {
      const said = await call(gateway.port, `/main/sandboxes/${name}/x`, {
        headers: headers(),
        method: 'POST',
        body: 'x',
      });
      expect(heardIn(said).bytes).toBe(1);
      // Varies around the moment at which a kept connection ends and the sandbox stops.
      await sleep(950 + round * 30);
    }
    expect(sleeper.wakes).toBeGreaterThan(0);
  });

  test('an open stream keeps it awake, and so does a WebSocket', async () => {
    await using gateway = await sandboxes.startGateway(way);
    const { name, instance } = await sandboxes.addSandbox();
    using sleeper = keepAsleep(sandboxes, instance);
    await expect.poll(() => sleeper.isAsleep).toBe(true);
    const streamed = await call(gateway.port, `/main/sandboxes/${name}/ticks?count=25&everyMs=100`, {
      headers: headers(),
    });
    expect(streamed.body).toMatch(/tick 24\nthe end$/);
    expect(sleeper.wakes).toBe(1);
    const socket = connect(gateway.port, '127.0.0.1').setEncoding('latin1');
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    const lines = [`GET /main/sandboxes/${name}/live HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`];
    socket.write(`${lines.join('\r\n')}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`);
    await expect.poll(() => heard).toContain('101');
    await sleep(2_500);
    socket.write('still there?');
    await expect.poll(() => heard).toContain('still there?');
    expect(sleeper.isAsleep).toBe(false);
    socket.destroy();
    await expect.poll(() => sleeper.isAsleep).toBe(true);
  });

  test('R-60: a wake of 11 seconds breaks nothing that was opened meanwhile', { timeout: 120_000 }, async () => {
    await using gateway = await sandboxes.startGateway(way, { silentMs: 30_000 });
    const { name, instance } = await sandboxes.addSandbox();
    using sleeper = keepAsleep(sandboxes, instance, { wakeMs: 11_000 });
    await expect.poll(() => sleeper.isAsleep).toBe(true);
    const startedAt = performance.now();
    const said = await Promise.all([
      call(gateway.port, `/main/sandboxes/${name}/x`, { headers: headers(), method: 'POST', body: 'hello' }),
      sleep(3_000).then(() => call(gateway.port, `/main/sandboxes/${name}/x`, { headers: headers() })),
      sleep(6_000).then(() =>
        call(gateway.port, `/main/sandboxes/${name}/port/${sandboxes.program.appPort}/x`, { headers: headers() }),
      ),
    ]);
    expect(said.map((each) => heardIn(each).where)).toEqual(['api', 'api', 'app']);
    expect(performance.now() - startedAt).toBeGreaterThan(10_900);
  });

  test('a wake that takes too long is 503, not dispatched', async () => {
    await using gateway = await sandboxes.startGateway(way, { wakeMs: 300, patienceMs: 500 });
    const { name, instance } = await sandboxes.addSandbox();
    const woken = Promise.withResolvers<{ is: 'unknown' }>();
    sandboxes.ingress.admissions.set(instance, () => woken.promise);
    const { status, body } = await call(gateway.port, `/main/sandboxes/${name}/x`, { headers: headers() });
    expect([status, JSON.parse(body).error.dispatch_state]).toEqual([503, 'not_dispatched']);
    sandboxes.ingress.admissions.delete(instance);
    woken.resolve({ is: 'unknown' });
    await expect.poll(() => sandboxes.ingress.leases.count).toBe(0);
  });

  test('a machine without memory to wake it is 503 at once, with the Retry-After of its runner', async () => {
    await using gateway = await sandboxes.startGateway(way);
    const { name, instance } = await sandboxes.addSandbox();
    let asked = 0;
    sandboxes.ingress.admissions.set(instance, async () => {
      asked += 1;
      return { is: 'busy', retryAfterSeconds: 7 };
    });
    const {
      status,
      headers: said,
      body,
    } = await call(gateway.port, `/main/sandboxes/${name}/x`, {
      headers: headers(),
      method: 'POST',
      body: 'x',
    });
    expect([status, said['retry-after']]).toEqual([503, '7']);
    expect(JSON.parse(body).error).toMatchObject({
      code: 'WORKLOAD_UNAVAILABLE',
      message: expect.stringContaining('memory'),
      dispatch_state: 'not_dispatched',
    });
    expect(asked).toBe(1);
    sandboxes.ingress.admissions.delete(instance);
    expect((await call(gateway.port, `/main/sandboxes/${name}/x`, { headers: headers() })).status).toBe(200);
  });
});

test('a stream that outlives its lease, as when the runner starts again, is counted by the next one', async () => {
  await using gateway = await sandboxes.startGateway('local');
  const { name, instance } = await sandboxes.addSandbox();
  const streaming = call(gateway.port, `/main/sandboxes/${name}/ticks?count=30&everyMs=100`, { headers: headers() });
  await expect.poll(() => sandboxes.ingress.leases.count).toBe(1);
  await sleep(300);
  sandboxes.ingress.leases.cut(instance);
  await expect.poll(() => sandboxes.ingress.leases.count).toBe(1);
  expect((await streaming).body).toMatch(/the end$/);
  await expect.poll(() => sandboxes.ingress.leases.count).toBe(0);
});
