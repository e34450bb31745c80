import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { Notifier } from '@berth/concurrency';
import { afterEach, expect, test, vi } from 'vitest';
import { awaitAnswer } from './await-answer.ts';
import { isListening, probePauseMs } from './is-listening.ts';

const servers: Server[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const server of servers.splice(0)) server.close();
});

/** An address of this file alone: a port of 127.0.0.1 that was freed is soon the source port of some connection. */
const address = '127.18.42.7';

async function listen(port = 0): Promise<number> {
  const server = createServer((socket) => socket.end());
  servers.push(server);
  await once(server.listen(port, address), 'listening');
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}

async function freePort(): Promise<number> {
  const port = await listen();
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return port;
}

const awaited = (port: number, other: Partial<Parameters<typeof awaitAnswer>[0]> = {}) =>
  awaitAnswer({
    ask: () => isListening(address, port),
    timeoutMs: 60_000,
    notifier: new Notifier(),
    isRunning: async () => true,
    signal: new AbortController().signal,
    ...other,
  });

test('a listener is found by the first probe, and a later one by the next probe', async () => {
  let questions = 0;
  const askedOf = (port: number) =>
    awaited(port, {
      async ask() {
        const answers = await isListening(address, port);
        questions += 1;
        return answers;
      },
    });
  expect(await askedOf(await listen())).toBe('yes');
  expect(questions).toBe(1);
  const port = await freePort();
  const waiting = askedOf(port);
  await expect.poll(() => questions).toBeGreaterThan(2);
  await listen(port);
  const before = questions;
  expect(await waiting).toBe('yes');
  // One probe may have been in flight.
  expect(questions - before).toBeLessThanOrEqual(2);
});

test('without a listener in time the outcome is too late', async () => {
  expect(await awaited(await freePort(), { timeoutMs: 100 })).toBe('too late');
});

test('the end of a container is noticed on an engine event, and without one two seconds later', async () => {
  vi.useFakeTimers();
  const endedAfterMs = async (notifier: Notifier): Promise<number> => {
    const startedAt = performance.now();
    let isOver = false;
    const waiting = awaited(0, { notifier, ask: async () => false, isRunning: async () => false }).then((answer) => {
      expect(answer).toBe('ended');
      isOver = true;
      return performance.now() - startedAt;
    });
    setTimeout(() => notifier.notify(), 500);
    while (!isOver) await vi.advanceTimersByTimeAsync(1);
    return waiting;
  };
  expect(await endedAfterMs(new Notifier())).toBe(500);
  const silent = new Notifier();
  vi.spyOn(silent, 'notify').mockReturnValue();
  expect(Math.abs((await endedAfterMs(silent)) - 2_125)).toBeLessThanOrEqual(125);
});

test('an aborted wait ends at once', async () => {
  const wish = new AbortController();
  const asked = Promise.withResolvers<void>();
  const ask = async () => {
    asked.resolve();
    return false;
  };
  const waiting = awaited(0, { signal: wish.signal, ask });
  await asked.promise;
  wish.abort();
  expect(await waiting).toBe('given up');
});

test('probes are frequent at first and at least four per second later', () => {
  expect(probePauseMs(0)).toBe(10);
  expect(probePauseMs(1_000)).toBe(250);
});
