import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { bytesPerMb } from '@berth/contract/guest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GuestProcess, startGuestProcess } from '../../../tests/harness/guest-process.ts';
import { eventually } from './eventually.ts';
import { ProcessClient } from './process-client.ts';

let guest: GuestProcess;
let client: ProcessClient;
beforeAll(async () => {
  guest = await startGuestProcess();
  client = new ProcessClient(guest.url);
});
afterAll(() => guest[Symbol.asyncDispose]());

type Event = { type: string; data?: string };

/** A command that waits for a file: the test decides when it goes on. */
function waiting(name: string) {
  const file = join(guest.stateFolder, name);
  return { wait: `while ! test -e ${file}; do sleep 0.05; done`, go: () => writeFileSync(file, '') };
}

async function events(command: string, query = ''): Promise<{ response: Response; events: Event[]; text: string }> {
  const response = await client.stream(`/process${query}`, {
    method: 'POST',
    headers: { accept: 'text/event-stream' },
    body: JSON.stringify({ command }),
  });
  const text = await response.text();
  const lines = text.split('\n');
  expect(lines.pop()).toBe('');
  return { response, text, events: query ? [] : lines.map((line) => JSON.parse(line)) };
}

const textOf = (list: readonly Event[], type: string) =>
  list.flatMap((event) => (event.type === type ? [event.data ?? ''] : [])).join('');

test('R-07 a streamed process tells all its output, then exactly one result', async () => {
  const { response, events: list } = await events('echo one; echo two >&2; printf three; exit 4');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  expect(textOf(list, 'stdout')).toBe('one\nthree');
  expect(textOf(list, 'stderr')).toBe('two\n');
  expect(list.filter(({ type }) => type === 'result')).toHaveLength(1);
  expect(list.at(-1)?.type).toBe('result');
  expect(JSON.parse(list.at(-1)?.data ?? '')).toMatchObject({ status: 'failed', exitCode: 4, stdout: 'one\nthree' });
});

test('a stream whose process cannot start is a 422, not a 200 with an error inside', async () => {
  const response = await client.stream('/process', {
    method: 'POST',
    headers: { accept: 'text/event-stream' },
    body: JSON.stringify({ command: 'true', workingDir: '/no/such/folder' }),
  });
  expect(response.status).toBe(422);
});

test('R-06 keepalives of a quiet stream are events of their own and never output', async () => {
  const { wait, go } = waiting('go-quiet');
  const response = await client.stream('/process', {
    method: 'POST',
    headers: { accept: 'text/event-stream' },
    body: JSON.stringify({ command: `${wait}; echo end` }),
  });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes('keepalive')) go();
  }
  const lines = text.split('\n').slice(0, -1);
  const types = lines.map((line): string => JSON.parse(line).type);
  expect(types[0]).toBe('keepalive');
  expect(types.filter((type) => type !== 'keepalive')).toEqual(['stdout', 'result']);
});

test('characters that arrive in pieces are told whole', async () => {
  const { events: list } = await events(
    "printf '\\303'; sleep 0.1; printf '\\251'; sleep 0.1; printf '\\360\\237'; sleep 0.1; printf '\\230\\200'",
  );
  expect(textOf(list, 'stdout')).toBe('é😀');
});

test('a caller that leaves ends its stream and not the process', async () => {
  const { wait, go } = waiting('go-left');
  const leaving = new AbortController();
  const response = await client.stream('/process', {
    method: 'POST',
    headers: { accept: 'text/event-stream' },
    body: JSON.stringify({ command: `echo on; ${wait}; echo survived`, name: 'left-alone' }),
    signal: leaving.signal,
  });
  await response.body?.getReader().read();
  leaving.abort();
  go();
  expect(await client.ended('left-alone')).toMatchObject({ status: 'completed', stdout: 'on\nsurvived\n' });
});

test('U-27 real server-sent events only when they are asked for', async () => {
  const { response, text } = await events('echo hi', '?format=sse');
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(text).toMatch(/^data: \{"type":"stdout","data":"hi\\n"\}\n\ndata: \{"type":"result",.*\}\n\n$/);
});

test('R-06 a log stream has one prefix for each line, also of ten megabytes without a newline', async () => {
  const bytes = 10 * bytesPerMb;
  const { body } = await client.start({
    command: `echo first; head -c ${bytes} /dev/zero | tr '\\0' x; echo; echo err >&2; echo last`,
  });
  const response = await client.stream(`/process/${body.pid}/logs/stream`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const lines = (await response.text()).split('\n');
  expect(lines.length).toBe(5);
  expect(lines[0]).toBe('stdout:first');
  expect(lines[1]?.length).toBe('stdout:'.length + bytes);
  expect(lines[1]?.slice(7)).toMatch(/^x+$/);
  expect(lines.slice(2, 4).toSorted()).toEqual(['stderr:err', 'stdout:last']);
});

test('R-05 readers that attach at any moment see every line once and in order', async () => {
  const count = 3000;
  const { body } = await client.start({
    command: `i=0; while [ $i -lt ${count} ]; do i=$((i+1)); echo "line $i"; done`,
  });
  const read = async () =>
    (await (await client.stream(`/process/${body.pid}/logs/stream`)).text()).split('\n').slice(0, -1);
  const readers: Promise<string[]>[] = [];
  for (let reader = 0; reader < 8; reader += 1) {
    readers.push(read());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await client.ended(body.pid);
  readers.push(read());
  const expected = Array.from({ length: count }, (_, index) => `stdout:line ${index + 1}`);
  for (const lines of await Promise.all(readers)) expect(lines).toEqual(expected);
});

test('R-65 the last bytes without a newline are told', async () => {
  const { body } = await client.run('echo a; printf end');
  expect(await (await client.stream(`/process/${body.pid}/logs/stream`)).text()).toBe('stdout:a\nstdout:end\n');
});

test('a log stream goes on over a restart, with its marker', async () => {
  const { body } = await client.start({ command: 'printf try; exit 1', restartOnFailure: true, maxRestarts: 1 });
  const text = await (await client.stream(`/process/${body.pid}/logs/stream`)).text();
  expect(text).toMatch(/^stdout:try\nstdout:\[.*Attempting restart 1\/1.*\]\nstdout:try\n$/);
});

test('R-02 R-05 a reader that does not read blocks nothing and costs no memory; the output it missed is a visible gap', async () => {
  await using own = await startGuestProcess({
    variables: { SANDBOX_MAX_LOG_FILE_BYTES: '1048576', DISABLE_REQUEST_LOGGING: '1' },
  });
  const calls = new ProcessClient(own.url);
  const { body } = await calls.start({
    command: 'yes "a line of sixty-four characters, all of them the same ........" | head -c 60000000; echo; echo end',
  });
  const request = get(`${own.url}/process/${body.pid}/logs/stream`);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.pause();
  expect((await calls.ended(body.pid)).status).toBe('completed');
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
  });
  response.resume();
  await once(response, 'end');
  expect(text).toMatch(/\nstdout:\[this stream fell behind: \d+ bytes of output are no longer kept\]\n/);
  expect(text.endsWith('stdout:end\n')).toBe(true);
  expect(text.length).toBeLessThan(20_000_000);
  // Every line is whole except the two beside a gap; the last lines are the end of the command.
  const odd = text.split('\n').filter((line) => line && !/^stdout:a line of .* \.{8}$/.test(line));
  const gaps = odd.filter((line) => line.includes('fell behind')).length;
  expect(odd.length).toBeLessThanOrEqual(3 * gaps + 4);
});

test('R-03 a reader that comes late is told that the head was released', async () => {
  await using own = await startGuestProcess({ variables: { SANDBOX_MAX_LOG_FILE_BYTES: '262144' } });
  const calls = new ProcessClient(own.url);
  const { body } = await calls.run('seq 1 200000');
  expect(body.logs).toMatch(/^\[|^\d/);
  const text = await (await calls.stream(`/process/${body.pid}/logs/stream`)).text();
  expect(text).toMatch(/^stdout:\[\d+ bytes of earlier output were released and are no longer kept\]\n/);
  expect(text.endsWith('stdout:200000\n')).toBe(true);
});

test('HEAD on a stream of a running process is answered at once', async () => {
  const { body } = await client.start({ command: 'sleep 600' });
  const response = await client.stream(`/process/${body.pid}/logs/stream`, { method: 'HEAD' });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  await client.kill(body.pid);
});

test('readers that leave a silent process are not remembered', async () => {
  const { body } = await client.start({ command: 'sleep 600; echo end' });
  for (let reader = 0; reader < 50; reader += 1) {
    const leaving = new AbortController();
    await client.stream(`/process/${body.pid}/logs/stream`, { signal: leaving.signal });
    leaving.abort();
  }
  // A reader that stays receives the end; the readers that left no longer keep the guest busy.
  const stays = client.stream(`/process/${body.pid}/logs/stream`).then((response) => response.text());
  await client.kill(body.pid);
  expect(await stays).toBe('stdout:[Process is being forcefully killed]\n');
});

test('R-03 logs of finished processes count like the others: all of them stay within one budget', async () => {
  const budget = 4 * bytesPerMb;
  await using own = await startGuestProcess({ variables: { SANDBOX_MAX_LOG_BYTES_TOTAL: `${budget}` } });
  const calls = new ProcessClient(own.url);
  const bytes = () => {
    const paths = readdirSync(own.stateFolder, { recursive: true, encoding: 'utf8' });
    return (
      paths
        // Files may be deleted while they are counted.
        .map((path) => statSync(join(own.stateFolder, path), { throwIfNoEntry: false }))
        .reduce((sum, stat) => sum + (stat?.isFile() ? stat.size : 0), 0)
    );
  };
  const pids: string[] = [];
  for (let run = 0; run < 12; run += 1) pids.push((await calls.run('seq 1 100000')).body.pid);
  // The processes printed three times the budget.
  await eventually(() => bytes() < budget + 64 * 1024);
  // The oldest processes lost their output, and their logs say so; the newest keep the end of theirs.
  const oldest = (await calls.logs(pids[0] ?? '')).body;
  for (const text of [oldest.stdout, oldest.logs])
    expect(text).toMatch(/^\[\d+ bytes of earlier output were released.*\]\n$/);
  expect((await calls.logs(pids.at(-1) ?? '')).body.stdout).toMatch(/^\[\d+ bytes[^\n]*\]\n[\s\S]*\n100000\n$/);
});
