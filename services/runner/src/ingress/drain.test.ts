import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLine } from '@berth/wire';
import { expect, test } from 'vitest';
import { startTestIngress } from '../../test/test-ingress.ts';

const never = new AbortController().signal;

test('a lease tells the address, is counted while it is held, and needs no secret', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve(() => {});
  const held = await Promise.all([bed.ask(id), bed.ask(id)]);
  expect(held[0].answer).toEqual({ lease: 'held', ...bed.endpoints.get(id) });
  expect(bed.leases.count).toBe(2);
  held[0].socket.end();
  await expect.poll(() => bed.leases.count).toBe(1);
  held[1].socket.destroy();
  await expect.poll(() => bed.leases.count).toBe(0);
  expect((await bed.ask(randomUUID())).answer).toEqual({ lease: 'unknown' });
  expect((await stat(bed.lease)).mode & 0o777).toBe(0o600);
});

test('an instance without leases is drained at once, even right after a lease', async () => {
  // With this limit, a drain that waits outlasts the test.
  await using bed = await startTestIngress(3_600);
  await bed.leases.drain(randomUUID(), never, false);
  const id = await bed.serve((socket) => void socket.end());
  const { socket } = await bed.open(id);
  socket.end();
  await expect.poll(() => bed.ingress.tunnels).toBe(0);
  expect(bed.leases.count).toBe(1);
  await bed.leases.drain(id, never, false);
});

test('a drain lets tunnels finish, asks lease holders to leave, and ends with the last of them', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve((socket) => void socket.pipe(socket));
  const [tunnel, lease] = [await bed.open(id), await bed.ask(id)];
  bed.endpoints.delete(id);
  let isDrained = false;
  const drained = bed.leases.drain(id, never, false).then(() => {
    isDrained = true;
  });
  expect(await readLine(lease.socket, 100)).toBe('{"lease":"over"}');
  expect((await bed.open(id)).answer).toBe('unknown');
  expect((await bed.ask(id)).answer).toEqual({ lease: 'unknown' });
  // The lease of this test, and the lease of the process that carries the tunnel.
  expect(bed.leases.count).toBe(2);
  lease.socket.end();
  await expect.poll(() => bed.leases.count).toBe(1);
  expect(isDrained).toBe(false);
  tunnel.socket.end('last words');
  expect(await text(tunnel.socket)).toBe('last words');
  await drained;
});

test('a drain ends at its deadline, and a retried drain keeps that deadline', async () => {
  await using bed = await startTestIngress(0.3);
  const id = await bed.serve((socket) => void socket.pipe(socket));
  const { socket } = await bed.open(id);
  const startedAt = performance.now();
  await bed.leases.drain(id, never, false);
  expect(performance.now() - startedAt).toBeGreaterThan(250);
  const other = await bed.serve((each) => void each.pipe(each));
  await bed.open(other);
  const drain = (instance: string) => bed.leases.drain(instance, never, false).then(() => instance);
  expect(await Promise.race([drain(other), drain(id)])).toBe(id);
  // The drain did not cut the tunnel: its container closes it when it is stopped.
  socket.end('x');
  expect(await text(socket)).toBe('x');
});

test('an aborted drain ends at once', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve(() => {});
  await bed.open(id);
  const calledOff = new AbortController();
  const drained = bed.leases.drain(id, calledOff.signal, false);
  calledOff.abort();
  await drained;
});

test('when a container has ended, its connections are cut', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve(() => {});
  const [tunnel, lease] = [await bed.open(id), await bed.ask(id)];
  const heard = Promise.allSettled([text(tunnel.socket), text(lease.socket)]);
  bed.leases.cut(id);
  expect((await heard).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  await expect.poll(() => bed.ingress.tunnels + bed.leases.count).toBe(0);
});

test('a runner that stops accepts nothing more, and lets open tunnels finish', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve((socket) => void socket.pipe(socket));
  const [tunnel, lease] = [await bed.open(id), await bed.ask(id)];
  const closing = bed.ingress.close(60_000);
  expect(await readLine(lease.socket, 100)).toBe('{"lease":"over"}');
  lease.socket.end();
  const knocked = () =>
    bed.connectRaw().then(
      (socket) => void socket.destroy(),
      (error: NodeJS.ErrnoException) => error.code,
    );
  await expect.poll(knocked).toBe('ECONNREFUSED');
  await sleep(100);
  tunnel.socket.end('finished');
  expect(await text(tunnel.socket)).toBe('finished');
  await closing;
  expect(bed.ingress.tunnels).toBe(0);
});
