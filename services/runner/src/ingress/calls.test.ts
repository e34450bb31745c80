import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { bytesPerMb } from '@berth/contract/node';
import { createLogger } from '@berth/telemetry';
import { callRunner, RunnerConnections } from '@berth/wire';
import { expect, onTestFinished, test } from 'vitest';
import { desiredSandbox } from '../../test/desired-instance.ts';
import { startTestIngress } from '../../test/test-ingress.ts';

type Bed = Awaited<ReturnType<typeof startTestIngress>>;

/** The api's side of a call. */
function caller(bed: Bed, role: 'gateway' | 'api' = 'api') {
  const lines = new RunnerConnections({
    credentials: bed.credentials(role),
    answerMs: 2_000,
    refusedMs: 10,
    logger: createLogger({ role: 'api' }, { level: 'silent' }),
  });
  onTestFinished(() => lines.close());
  const place = { runnerId: bed.runnerId, ingress: { address: `127.0.0.1:${bed.port}` } };
  return { lines, place };
}

test('a call reaches the runner with its body, and its answer comes back', async () => {
  await using bed = await startTestIngress();
  const { lines, place } = caller(bed);
  const desired = desiredSandbox({ env: { BIG: 'x'.repeat(900_000) } });
  bed.calls.adopt = async (heard) => {
    expect(heard).toEqual(desired);
    return { call: 'done' };
  };
  expect(await callRunner(lines, place, 'adopt', desired, 10_000)).toEqual({ call: 'done' });
  const instance = randomUUID();
  bed.calls.wake = async (heard) => ({ call: heard.instance === instance ? 'busy' : 'failed', retryAfterSeconds: 3 });
  bed.calls.sleep = async () => ({ call: 'failed', message: 'Somebody uses it.' });
  expect(await callRunner(lines, place, 'wake', { instance }, 10_000)).toEqual({ call: 'busy', retryAfterSeconds: 3 });
  expect(await callRunner(lines, place, 'sleep', { instance }, 10_000)).toMatchObject({ message: 'Somebody uses it.' });
});

test('many calls share a connection, each with its own answer', async () => {
  await using bed = await startTestIngress();
  const { lines, place } = caller(bed);
  bed.calls.wake = async ({ instance }) => ({ call: 'done', message: instance });
  const ids = Array.from({ length: 100 }, () => randomUUID());
  const answers = await Promise.all(ids.map((instance) => callRunner(lines, place, 'wake', { instance }, 5_000)));
  expect(answers.map(({ message }) => message)).toEqual(ids);
  await expect.poll(() => bed.ingress.tunnels).toBe(0);
});

test('a failed call returns its reason, and the caller gives up a hanging one', async () => {
  await using bed = await startTestIngress();
  const { lines, place } = caller(bed);
  bed.calls.wake = async () => {
    throw new Error('the engine is away');
  };
  const instance = randomUUID();
  expect(await callRunner(lines, place, 'wake', { instance }, 10_000)).toEqual({
    call: 'failed',
    message: 'the engine is away',
  });
  const hanging = Promise.withResolvers<{ call: 'done' }>();
  bed.calls.sleep = () => hanging.promise;
  await expect(callRunner(lines, place, 'sleep', { instance }, 200)).rejects.toThrow('did not answer');
  hanging.resolve({ call: 'done' });
});

test('an invalid body gets an error, and an endless one is cut off', async () => {
  await using bed = await startTestIngress();
  const say = (...words: string[]) => {
    const socket = connect({ path: bed.lease, allowHalfOpen: true });
    socket.on('error', () => {});
    for (const word of words) socket.write(word);
    return socket;
  };
  const wrong = say('{"call":"wake"}\n').end('{"instance":"all of them"}');
  expect(JSON.parse(await text(wrong))).toMatchObject({ call: 'failed' });
  const endless = say('{"call":"adopt"}\n', 'x'.repeat(5 * bytesPerMb));
  expect(await text(endless).catch(() => '')).toBe('');
});

test('a gateway makes no call; an api opens tunnels too', async () => {
  await using bed = await startTestIngress();
  let woken = 0;
  bed.calls.wake = async () => {
    woken += 1;
    return { call: 'done' };
  };
  const { lines, place } = caller(bed, 'gateway');
  const called = callRunner(lines, place, 'wake', { instance: randomUUID() }, 10_000);
  await expect(called).rejects.toMatchObject({ reason: 'refused' });
  expect(woken).toBe(0);
  const id = await bed.serve((socket) => void socket.end('reached'));
  for (const card of [bed.cards.gateway, bed.cards.api])
    expect(await text((await bed.open(id, await bed.bundle(card))).socket)).toBe('reached');
});
