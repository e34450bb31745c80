// The exact output of a process: events with offsets, by which a reader that was cut off continues.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessOutputEvent, ProcessRequest } from '@berth/contract/guest';
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

type Output = Extract<ProcessOutputEvent, { type: 'stdout' | 'stderr' }>;

const isOutput = (event: ProcessOutputEvent): event is Output => event.type === 'stdout' || event.type === 'stderr';

const bytesOf = (events: readonly ProcessOutputEvent[], stream: Output['type']): Buffer =>
  Buffer.concat(
    events
      .filter(isOutput)
      .flatMap(({ type, data, encoding }) => (type === stream ? [Buffer.from(data, encoding ?? 'utf8')] : [])),
  );

async function eventsOf(response: Promise<Response>): Promise<ProcessOutputEvent[]> {
  const answer = await response;
  const text = await answer.text();
  expect([answer.status, answer.headers.get('content-type')], text).toEqual([200, 'application/x-ndjson']);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const run = (request: ProcessRequest, query = '') =>
  eventsOf(client.stream(`/process?format=events${query}`, { method: 'POST', body: JSON.stringify(request) }));

const output = (name: string, offset = 0) => eventsOf(client.stream(`/process/${name}/output?offset=${offset}`, {}));

const inFolder = (name: string): string => join(guest.stateFolder, name);

test('both streams arrive byte for byte, whatever they hold, and the last event has the exit code', async () => {
  const bytes = Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7) % 256));
  writeFileSync(inFolder('bytes'), bytes);
  const events = await run({ command: `cat ${inFolder('bytes')}; echo später >&2; exit 3` });
  expect(bytesOf(events, 'stdout').equals(bytes)).toBe(true);
  expect(bytesOf(events, 'stderr').toString()).toBe('später\n');
  expect(events.filter(({ type }) => type === 'end')).toHaveLength(1);
  expect(events.at(-1)).toMatchObject({ type: 'end', process: { exitCode: 3, status: 'failed', stdout: '' } });
});

test('a reader that continues at any offset gets exactly the rest', async () => {
  // Many pieces of at most 64 KiB, which begin and end within characters.
  const text = 'é✓\n'.repeat(100_000);
  writeFileSync(inFolder('text'), text);
  const events = await run({ name: 'resumed', command: `cat ${inFolder('text')}; cat ${inFolder('text')} >&2` });
  const offsets = [0, ...events.filter(isOutput).map(({ next }) => next)];
  expect(offsets.length).toBeGreaterThan(12);
  for (const [at, offset] of offsets.entries()) {
    const rest = await output('resumed', offset);
    for (const stream of ['stdout', 'stderr'] as const)
      expect(bytesOf(rest, stream).equals(bytesOf(events.filter(isOutput).slice(at), stream)), `${offset}`).toBe(true);
  }
  expect(bytesOf(events, 'stderr').toString()).toBe(text);
});

test('a reader that comes while the process runs gets what was written before, and follows', async () => {
  const started = await client.start({
    name: 'followed',
    command: `echo early; while ! test -e ${inFolder('go')}; do sleep 0.05; done; echo late`,
  });
  expect(started.status).toBe(200);
  const reading = output('followed');
  writeFileSync(inFolder('go'), '');
  expect(bytesOf(await reading, 'stdout').toString()).toBe('early\nlate\n');
});

test('a start that is repeated once finds the process, while it starts, while it runs and when it has ended', async () => {
  const request = { name: 'only', command: `echo run >> ${inFolder('runs')}; sleep 0.2; echo done` };
  const starts = await Promise.all(Array.from({ length: 20 }, () => run(request, '&once=true')));
  const later = await run(request, '&once=true');
  for (const events of [...starts, later]) expect(bytesOf(events, 'stdout').toString()).toBe('done\n');
  expect(readFileSync(inFolder('runs'), 'utf8')).toBe('run\n');
  expect((await client.start(request)).status).toBe(200);
});

test('a start that failed is tried again', async () => {
  const path = '/process?format=events&once=true';
  const request = { name: 'refused', command: 'echo here', workingDir: inFolder('not-there') };
  const refused = await client.stream(path, { method: 'POST', body: JSON.stringify(request) });
  expect(refused.status).toBe(422);
  const { workingDir: _, ...good } = request;
  expect(bytesOf(await run(good, '&once=true'), 'stdout').toString()).toBe('here\n');
});

test('an offset that is no number, and a process that is not there, are told', async () => {
  for (const path of ['/process/resumed/output?offset=-1', '/process/resumed/output?offset=x'])
    expect([(await client.call('GET', path)).status, path]).toEqual([400, path]);
  expect((await client.call('GET', '/process/nobody/output')).status).toBe(404);
});
