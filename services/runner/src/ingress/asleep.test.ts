import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Leases, NotDispatched } from '@berth/wire';
import { expect, test } from 'vitest';
import { startTestIngress } from '../../test/test-ingress.ts';
import type { Admission } from './endpoint.ts';

const never = new AbortController().signal;
const leasesOf = (bed: Awaited<ReturnType<typeof startTestIngress>>, keepMs = 60_000) =>
  new Leases({ socketPath: bed.lease, answerMs: 5_000, keepMs });

test('a lease counts before the instance is awake, and its answer waits for the wake', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve((socket) => void socket.end('hello'));
  const endpoint = bed.endpoints.get(id);
  if (endpoint === undefined) throw new Error('no endpoint');
  const woken = Promise.withResolvers<Admission>();
  bed.admissions.set(id, () => {
    expect(bed.leases.count).toBe(1);
    return woken.promise;
  });
  const tunnel = bed.open(id);
  await expect.poll(() => bed.leases.count).toBe(1);
  woken.resolve({ is: 'open', endpoint });
  const { answer, socket } = await tunnel;
  expect(answer).toBe('open');
  expect(await text(socket)).toBe('hello');
});

test('an instance that cannot wake is busy for leases and tunnels, and holds no lease', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve(() => {});
  bed.admissions.set(id, async () => ({ is: 'busy', retryAfterSeconds: 7 }));
  expect((await bed.ask(id)).answer).toEqual({ lease: 'busy', retryAfterSeconds: 7 });
  const bundle = await bed.bundle();
  const { channel, answer } = bundle.open(JSON.stringify({ instance: id }));
  channel.on('error', () => {});
  expect(JSON.parse((await answer) ?? '')).toEqual({ tunnel: 'busy', retryAfterSeconds: 7 });
  const leases = leasesOf(bed);
  const error = await leases.on(id).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(NotDispatched);
  expect(error).toMatchObject({ reason: 'busy', retryAfterSeconds: 7 });
  // The busy answer is not kept: the next call asks again.
  bed.admissions.delete(id);
  expect((await leases.on(id))?.endpoint.port).toBe(bed.endpoints.get(id)?.port);
  await leases.close();
  await expect.poll(() => bed.leases.count).toBe(0);
});

test('a lease is kept unused no longer than the runner says', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve(() => {});
  const endpoint = bed.endpoints.get(id);
  if (endpoint === undefined) throw new Error('no endpoint');
  bed.admissions.set(id, async () => ({ is: 'open', endpoint, keepMs: 100 }));
  const leases = leasesOf(bed);
  const lease = await leases.on(id);
  const end = lease?.use();
  await sleep(300);
  expect(lease?.isOver).toBe(false);
  end?.();
  await expect.poll(() => bed.leases.count).toBe(0);
  expect(lease?.isOver).toBe(true);
});

test('a lease that is recalled while its instance wakes is not granted', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve(() => {});
  const endpoint = bed.endpoints.get(id);
  if (endpoint === undefined) throw new Error('no endpoint');
  const woken = Promise.withResolvers<Admission>();
  bed.admissions.set(id, () => woken.promise);
  const asked = bed.ask(id);
  await expect.poll(() => bed.leases.count).toBe(1);
  const drained = bed.leases.drain(id, never, false);
  woken.resolve({ is: 'open', endpoint });
  expect((await asked).answer).toEqual({ lease: 'unknown' });
  await drained;
});

test('a caller that gives up while an instance wakes holds no lease', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve(() => {});
  const woken = Promise.withResolvers<Admission>();
  bed.admissions.set(id, () => woken.promise);
  const leases = new Leases({ socketPath: bed.lease, answerMs: 100, keepMs: 1_000 });
  expect(await leases.on(id)).toBeUndefined();
  await expect.poll(() => bed.leases.count).toBe(0);
  woken.resolve({ is: 'unknown' });
});

test('a tunnel may name another port of the instance', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve((socket) => void socket.end('its own'));
  const other = await bed.serve((socket) => void socket.end('another'));
  const port = bed.endpoints.get(other)?.port;
  expect(await text((await bed.open(id, undefined, port)).socket)).toBe('another');
  expect(await text((await bed.open(id)).socket)).toBe('its own');
  const { socket, answer } = await bed.open(id, undefined, 1);
  expect(answer).toBe('unreachable');
  if (!socket.closed) await once(socket, 'close');
});
