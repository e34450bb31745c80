import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bundle, Channel } from '@berth/wire';
import { expect, test } from 'vitest';
import { startTestIngress } from '../../test/test-ingress.ts';

const never = new AbortController().signal;

async function tunnel(bundle: Bundle, instance: string): Promise<{ channel: Channel; said: string }> {
  const { channel, answer } = bundle.open(JSON.stringify({ instance }));
  channel.on('error', () => {});
  return { channel, said: JSON.parse((await answer) ?? '{}').tunnel };
}

test('tunnels of one connection reach their own containers, are counted, and are answered each for itself', async () => {
  await using bed = await startTestIngress();
  const ids = await Promise.all(
    ['first', 'second'].map((word) => bed.serve(async (socket) => socket.end(`${word} ${await text(socket)}`))),
  );
  const closed = randomUUID();
  bed.endpoints.set(closed, { address: '127.0.0.1', port: 1 });
  const bundle = await bed.bundle();
  const opened = await Promise.all([...ids, ...ids].map((id) => tunnel(bundle, id)));
  expect(opened.map(({ said }) => said)).toEqual(Array(4).fill('open'));
  await expect.poll(() => bed.ingress.tunnels).toBe(4);
  const heard = opened.map(({ channel }, at) => {
    channel.end(String(at));
    return text(channel);
  });
  expect(await Promise.all(heard)).toEqual(['first 0', 'second 1', 'first 2', 'second 3']);
  await expect.poll(() => bed.ingress.tunnels).toBe(0);
  expect((await tunnel(bundle, randomUUID())).said).toBe('unknown');
  expect((await tunnel(bundle, closed)).said).toBe('unreachable');
  expect((await tunnel(bundle, 'no name of an instance')).said).toBe('refused');
});

test('a drain waits for a tunnel beside others, and a container that has ended breaks its own off alone', async () => {
  await using bed = await startTestIngress();
  const [going, staying] = [await bed.serve((socket) => void socket.pipe(socket)), await bed.serve(() => {})];
  const bundle = await bed.bundle();
  const [last, neighbour] = [await tunnel(bundle, going), await tunnel(bundle, staying)];
  bed.endpoints.delete(going);
  let isDrained = false;
  const drained = bed.leases.drain(going, never, false).then(() => {
    isDrained = true;
  });
  await expect.poll(async () => (await tunnel(bundle, going)).said).toBe('unknown');
  await sleep(100);
  expect(isDrained).toBe(false);
  last.channel.end('last words');
  expect(await text(last.channel)).toBe('last words');
  await drained;
  expect(neighbour.channel.destroyed).toBe(false);
  bed.leases.cut(staying);
  await expect(text(neighbour.channel)).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(bundle.isOpen).toBe(true);
});

test('a gateway that closes a tunnel, or its whole connection, ends the connections to containers', async () => {
  await using bed = await startTestIngress();
  let open = 0;
  const id = await bed.serve((socket) => {
    open += 1;
    socket.resume().once('end', () => socket.end());
    socket.once('close', () => {
      open -= 1;
    });
  });
  const bundle = await bed.bundle();
  const [first] = await Promise.all([tunnel(bundle, id), tunnel(bundle, id), tunnel(bundle, id)]);
  await expect.poll(() => open).toBe(3);
  first.channel.destroy();
  await expect.poll(() => open).toBe(2);
  bundle.destroy();
  await expect.poll(() => open).toBe(0);
  await expect.poll(() => bed.ingress.tunnels).toBe(0);
});

test('a runner that stops lets tunnels of a connection finish, opens none, and then hangs up', async () => {
  await using bed = await startTestIngress();
  const id = await bed.serve((socket) => void socket.pipe(socket));
  const bundle = await bed.bundle();
  const { channel } = await tunnel(bundle, id);
  const closing = bed.ingress.close(5_000);
  await expect.poll(async () => (await tunnel(bundle, id)).said).toBe('leaving');
  channel.end('finished');
  expect(await text(channel)).toBe('finished');
  await closing;
  await expect.poll(() => bundle.isOpen).toBe(false);
});
