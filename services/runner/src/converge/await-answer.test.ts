import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Bell } from '@berth/pace';
import { afterEach, expect, test } from 'vitest';
import { awaitAnswer } from './await-answer.ts';
import { isListening, probePauseMs } from './probe.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(port = 0): Promise<number> {
  const server = createServer((socket) => socket.end());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function freePort(): Promise<number> {
  const port = await listen();
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return port;
}

const awaited = (port: number, other: Partial<Parameters<typeof awaitAnswer>[0]> = {}) =>
  awaitAnswer({
    ask: () => isListening('127.0.0.1', port),
    timeoutMs: 5_000,
    bell: new Bell(),
    isRunning: async () => true,
    signal: new AbortController().signal,
    ...other,
  });

test('what listens is found at once, and what listens later soon after', async () => {
  expect(await awaited(await listen())).toBe('yes');
  const port = await freePort();
  const waiting = awaited(port);
  await sleep(100);
  await listen(port);
  const startedAt = performance.now();
  expect(await waiting).toBe('yes');
  expect(performance.now() - startedAt).toBeLessThan(300);
});

test('nothing that listens in time is too late', async () => {
  expect(await awaited(await freePort(), { timeoutMs: 100 })).toBe('too late');
});

test('an end is noticed when the engine tells of it, and without being told a little later', async () => {
  const bell = new Bell();
  const waiting = awaited(await freePort(), { bell, isRunning: async () => false });
  await sleep(30);
  bell.ring();
  const startedAt = performance.now();
  expect(await waiting).toBe('ended');
  expect(performance.now() - startedAt).toBeLessThan(200);
  expect(await awaited(await freePort(), { isRunning: async () => false })).toBe('ended');
});

test('what is no longer wanted is not waited for', async () => {
  const wish = new AbortController();
  const waiting = awaited(await freePort(), { signal: wish.signal });
  await sleep(30);
  wish.abort();
  expect(await waiting).toBe('given up');
});

test('it is asked often at first and never less than four times a second', () => {
  expect(probePauseMs(0)).toBe(10);
  expect(probePauseMs(1_000)).toBe(250);
});
