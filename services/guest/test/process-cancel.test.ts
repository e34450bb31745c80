import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GuestProcess, startGuestProcess } from '../../../tests/harness/guest-process.ts';
import { ProcessClient } from './process-client.ts';

let guest: GuestProcess;
let client: ProcessClient;
beforeAll(async () => {
  guest = await startGuestProcess();
  client = new ProcessClient(guest.url);
});
afterAll(() => guest[Symbol.asyncDispose]());

const startOnce = (name: string, signal = AbortSignal.timeout(50_000)) =>
  fetch(`${guest.url}/process?once=true`, {
    ...{ method: 'POST', signal, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ name, command: 'sleep 1000.6' }),
  });
const cancel = (name: string) => client.call<{ message: string }>('DELETE', `/process/${name}/kill?once=true`);

async function running(): Promise<string[]> {
  const { body } = await client.call<{ name: string; status: string }[]>('GET', '/process');
  return body.filter(({ status }) => status === 'running').map(({ name }) => name);
}

test('a kill with once that arrives before the start refuses it', async () => {
  expect((await cancel('early')).status).toBe(200);
  const answer = await startOnce('early');
  const { error } = (await answer.json()) as { error: string };
  expect([answer.status, error]).toEqual([400, 'The process was killed before it started.']);
  expect(await running()).toEqual([]);
});

test('a kill with once kills what has started, and may be repeated', async () => {
  expect((await startOnce('late')).status).toBe(200);
  for (let times = 0; times < 2; times += 1) expect((await cancel('late')).status).toBe(200);
  expect((await client.ended('late')).exitCode).toBe(137);
});

test('of starts whose callers have left and killed them none runs, in whatever order both arrive', async () => {
  const names = Array.from({ length: 100 }, (_, at) => `left-${at}`);
  await Promise.all(
    names.map(async (name, at) => {
      const leaving = new AbortController();
      const starting = startOnce(name, leaving.signal).catch(() => undefined);
      if (at % 3 > 0) await new Promise((resolve) => setTimeout(resolve, at));
      leaving.abort();
      await Promise.all([cancel(name), starting]);
    }),
  );
  await expect.poll(running).toEqual([]);
});

test('a name that was killed with once is free for a start without it', async () => {
  await cancel('server');
  expect((await client.start({ name: 'server', command: 'sleep 1000.6' })).status).toBe(200);
  expect((await client.kill('server')).status).toBe(200);
});

test('a request that has joined the start of a caller that leaves starts the process itself', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `joined-${at}`);
  const leaving = new AbortController();
  const first = names.map((name) => startOnce(name, leaving.signal).catch(() => undefined));
  const second = names.map((name) => startOnce(name));
  await new Promise((resolve) => setTimeout(resolve, 30));
  leaving.abort();
  await Promise.all(first);
  expect((await Promise.all(second)).map(({ status }) => status)).toEqual(names.map(() => 200));
  expect((await running()).toSorted()).toEqual(names.toSorted());
  await Promise.all(names.map((name) => client.kill(name)));
  await expect.poll(running).toEqual([]);
});

test('a start without a caller that waits for its turn does not happen, and may be asked for again', async () => {
  const leaving = new AbortController();
  const names = Array.from({ length: 60 }, (_, at) => `again-${at}`);
  const starts = names.map((name) => startOnce(name, leaving.signal).catch(() => undefined));
  await new Promise((resolve) => setTimeout(resolve, 50));
  leaving.abort();
  await Promise.all(starts);
  for (const name of names) expect((await startOnce(name)).status).toBe(200);
  expect((await running()).toSorted()).toEqual(names.toSorted());
  await Promise.all(names.map((name) => client.kill(name)));
});
