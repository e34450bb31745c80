import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesPerMb } from '@berth/contract/guest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GuestProcess, startGuestProcess } from '../../../tests/harness/guest-process.ts';
import { ProcessClient } from './process-client.ts';

let guest: GuestProcess;
let client: ProcessClient;
beforeAll(async () => {
  guest = await startGuestProcess({
    // Large enough that no test drops the output of another, however little memory there is.
    variables: { SANDBOX_CONTROL_KEY: 'public', FROM_IMAGE: 'image', SANDBOX_MAX_LOG_BYTES_TOTAL: '4000000000' },
  });
  client = new ProcessClient(guest.url);
});
afterAll(() => guest[Symbol.asyncDispose]());

test('a process that is not waited for is answered right after its start, without output', async () => {
  const { status, body } = await client.start({ command: 'sleep 60' });
  await client.kill(body.pid);
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: 'running', exitCode: 0, completedAt: '', logs: null, stdout: '', stderr: '' });
  expect(body.name).toMatch(/^proc-[a-z0-9]{8}$/);
  expect(body.pid).toMatch(/^\d+$/);
  expect(body.startedAt).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
});

test('R-07 a process that is waited for is answered with everything it printed and its exit code', async () => {
  const good = await client.run('printf out; printf err >&2');
  expect(good.body).toMatchObject({ status: 'completed', exitCode: 0, stdout: 'out', stderr: 'err' });
  expect(good.body.completedAt).toMatch(/GMT$/);
  const bad = await client.run('exit 42');
  expect(bad.status).toBe(200);
  expect(bad.body).toMatchObject({ status: 'failed', exitCode: 42, logs: '', stdout: '', stderr: '' });
});

test('U-06 a process that a signal ended shows 128 + signal', async () => {
  expect((await client.run('kill -9 $$')).body).toMatchObject({ status: 'failed', exitCode: 137 });
});

test('R-24 U-24 logs are the true interleaving of both streams', async () => {
  const command = 'for i in 1 2 3; do echo out$i; read x; echo err$i >&2; read x; done';
  const { body } = await client.start({ command, stdin: true });
  let expected = '';
  for (const line of ['out1', 'err1', 'out2', 'err2', 'out3', 'err3']) {
    expected += `${line}\n`;
    // The next line is written once this one is in the log: the process sets the order, not the scheduler.
    await client.until(body.pid, ({ logs }) => logs === expected);
    await client.call('POST', `/process/${body.pid}/stdin`, { data: '\n' });
  }
  expect((await client.ended(body.pid)).logs).toBe(expected);
});

test('R-22 built-ins, pipes, background jobs and substitutions work: a command always goes through a shell', async () => {
  const { body } = await client.run('cd / && pwd; echo $(echo a | tr a b); true & wait; [ 1 = 1 ] && echo yes');
  expect(body.stdout).toBe('/\nb\nyes\n');
});

test('R-22 the shell can be chosen', async () => {
  await using other = await startGuestProcess({ variables: { SHELL: '/bin/echo', SHELL_ARGS: '-n given:' } });
  expect((await new ProcessClient(other.url).run('a command')).body.stdout).toBe('given: a command');
});

test('no shell in the image is told as 422', async () => {
  await using other = await startGuestProcess({ variables: { SHELL: '/no/such/shell' } });
  const { status, body } = await new ProcessClient(other.url).run('echo hi');
  expect(status).toBe(422);
  expect(body.error).toMatch(/could not execute command 'echo hi': there is no shell '\/no\/such\/shell'/);
  expect((await new ProcessClient(other.url).call<unknown[]>('GET', '/process')).body).toEqual([]);
});

test('R-21 a missing working directory is a 422 that names command and folder', async () => {
  const { status, body } = await client.start({ command: 'echo hi', workingDir: '/no/such/folder' });
  expect(status).toBe(422);
  expect(body.error).toMatch(/could not execute command 'echo hi'.*'\/no\/such\/folder' does not exist/);
});

test('the working directory is the image’s, relative to it, absolute, or in the home folder', async () => {
  const home = join(guest.stateFolder, '..');
  await mkdir(join(home, 'work/deep'), { recursive: true });
  const where = async (workingDir?: string) =>
    (await client.run('pwd', workingDir === undefined ? {} : { workingDir })).body;
  expect((await where()).stdout).toMatch(/\/work\n$/);
  expect((await where('deep')).stdout).toMatch(/\/work\/deep\n$/);
  expect((await where('/')).stdout).toBe('/\n');
  expect((await where('~/work')).stdout).toMatch(/\/work\n$/);
  expect((await where('deep')).workingDir).toMatch(/\/work\/deep$/);
});

test('variables of the request win over inherited ones, and the guest’s plumbing stays out', async () => {
  const value = 'two\nlines "quoted" $HOME';
  const { body } = await client.run(
    'printf "%s|%s|%s|%s" "$FROM_IMAGE" "$OWN" "$SANDBOX_CONTROL_KEY" "$SANDBOX_LOG_DIR"',
    {
      env: { OWN: value },
    },
  );
  expect(body.stdout).toBe(`image|${value}||`);
  const over = await client.run('printf "%s" "$FROM_IMAGE"', { env: { FROM_IMAGE: 'request' } });
  expect(over.body.stdout).toBe('request');
});

test('more than 4000 characters of variables work', async () => {
  const env = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`LONG_${index}`, 'x'.repeat(1000)]));
  expect((await client.run('printf "%s" "$LONG_99" | wc -c', { env })).body.stdout?.trim()).toBe('1000');
});

test('a command that is too long for the kernel is a 422, and the guest goes on', async () => {
  const { status, body } = await client.run(`: ${'x'.repeat(5_000_000)}`);
  expect(status).toBe(422);
  expect(body.error).toMatch(/too long/);
  expect((await client.run('echo on')).body.stdout).toBe('on\n');
});

test('the input of a process is empty', async () => {
  expect((await client.run('cat; echo end')).body.stdout).toBe('end\n');
});

test('U-26 a process started with stdin is fed until its end is given', async () => {
  const { body } = await client.start({ command: 'cat; echo end', stdin: true });
  const feed = (input: object) =>
    client.call<{ message?: string; error?: string }>('POST', `/process/${body.pid}/stdin`, input);
  expect((await feed({ data: 'héllo\n' })).status).toBe(200);
  expect(
    (await feed({ data: Buffer.from([0xff, 0x0a]).toString('base64'), encoding: 'base64', end: true })).status,
  ).toBe(200);
  expect((await client.ended(body.pid)).stdout).toBe('héllo\n\ufffd\nend\n');
  expect((await feed({ data: 'late' })).status).toBe(404);
  const without = await client.start({ command: 'sleep 60' });
  const refused = await client.call<{ error: string }>('POST', `/process/${without.body.pid}/stdin`, { data: 'x' });
  expect(refused.status).toBe(422);
  expect(refused.body.error).toContain('"stdin": true');
  await client.kill(without.body.pid);
});

test.each([
  ['no command', {}],
  ['an empty command', { command: '' }],
  ['a command with a NUL byte', { command: 'echo \0' }],
  ['U-13 a name of digits alone', { command: 'true', name: '123' }],
  ['U-13 a name with a slash', { command: 'true', name: 'a/b' }],
  ['U-13 a name of 129 characters', { command: 'true', name: 'a'.repeat(129) }],
  ['a variable name with an equals sign', { command: 'true', env: { 'A=B': '1' } }],
  ['a port out of range', { command: 'true', waitForPorts: [70_000] }],
  ['a text where a number belongs', { command: 'true', timeout: 'long' }],
])('%s is a 400', async (_what, wish) => {
  const { status, body } = await client.call<{ error: string }>('POST', '/process', wish);
  expect(status).toBe(400);
  expect(body.error).toMatch(/The body does not fit/);
});

test('a body that is no JSON is a 400', async () => {
  const response = await client.stream('/process', { method: 'POST', body: '{' });
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ error: expect.stringContaining('JSON') });
});

test('R-16 of many starts under one name at once exactly one succeeds, and the name is free again after it', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => client.start({ command: 'sleep 30', name: 'single' })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const [refused] = answers.filter(({ status }) => status === 400);
  expect(refused?.body.error).toContain('already exists and is running');
  await client.kill('single');
  const first = await client.ended('single');
  const second = await client.start({ command: 'echo again', name: 'single' });
  expect(second.status).toBe(200);
  expect(second.body.pid).not.toBe(first.pid);
  // The name means the newest process; the older one stays available under its pid.
  expect((await client.ended('single')).pid).toBe(second.body.pid);
  expect((await client.get(first.pid)).body.status).toBe('killed');
});

test('U-25 completedAt of a running process is empty, and null in the list', async () => {
  const { body } = await client.start({ command: 'sleep 30', name: 'listed' });
  expect((await client.get('listed')).body.completedAt).toBe('');
  const list = await client.call<{ pid: string; completedAt: string | null }[]>('GET', '/process');
  expect(list.body.find(({ pid }) => pid === body.pid)?.completedAt).toBeNull();
  await client.kill('listed');
});

test('an unknown process is a 404 on every route that names one', async () => {
  for (const [method, path] of [
    ['GET', '/process/nobody'],
    ['GET', '/process/999999'],
    ['GET', '/process/nobody/logs'],
    ['GET', '/process/nobody/logs/stream'],
    ['DELETE', '/process/nobody'],
    ['DELETE', '/process/nobody/kill'],
  ] as const) {
    expect((await client.call<{ error: string }>(method, path)).status, `${method} ${path}`).toBe(404);
  }
});

test('R-04 listing and getting give the newest 64 KiB of each stream', async () => {
  const { body } = await client.run('yes 0123456789 | head -c 300000; echo; echo end');
  expect(body.stdout).toHaveLength(300_005);
  const got = (await client.get(body.pid)).body;
  expect(got.stdout).toHaveLength(65_536);
  expect(got.stdout?.endsWith('end\n')).toBe(true);
  expect(got.logs).toHaveLength(65_536);
});

test('R-04 /logs is bounded to its last 4 MiB with a line that says so, and ranges read all of it', async () => {
  const bytes = 6 * bytesPerMb;
  const { body } = await client.run(`head -c ${bytes} /dev/zero | tr '\\0' x; echo end`);
  const { body: logs } = await client.logs(body.pid);
  expect(logs.stdout).toMatch(/^\[earlier output is left out here.*\]\nx/);
  expect(logs.stdout.length).toBeLessThan(4 * bytesPerMb + 200);
  expect(logs.logs.endsWith('xend\n')).toBe(true);
  type Range = { offset: number; nextOffset: number; ended: boolean; data: string };
  for (const stream of ['stdout', 'logs']) {
    let read = 0;
    for (let at = 0; ; ) {
      const range: Range = (await client.call<Range>('GET', `/process/${body.pid}/logs?stream=${stream}&offset=${at}`))
        .body;
      expect(range.offset).toBe(at);
      read += range.data.length;
      at = range.nextOffset;
      if (range.ended) break;
    }
    expect(read).toBe(bytes + 4);
  }
});

test('ranges of text never cut a character', async () => {
  const { body } = await client.run('printf "aé😀b"');
  type Range = { nextOffset: number; data: string };
  let text = '';
  for (let at = 0; at < 8; ) {
    const { body: range } = await client.call<Range>(
      'GET',
      `/process/${body.pid}/logs?stream=stdout&offset=${at}&limit=5`,
    );
    text += range.data;
    at = range.nextOffset;
  }
  expect(text).toBe('aé😀b');
  expect((await client.call('GET', `/process/${body.pid}/logs?offset=x`)).status).toBe(400);
  expect((await client.call('GET', `/process/${body.pid}/logs?stream=x`)).status).toBe(400);
});

test('R-20 a wait that takes too long is a 422, and the process keeps running', async () => {
  const startedAt = Date.now();
  const go = join(guest.stateFolder, 'go-slow');
  const command = `while ! test -e ${go}; do sleep 0.05; done; echo done`;
  const { status, body } = await client.run(command, { name: 'slow', timeout: 1 });
  expect(status).toBe(422);
  expect(body.error).toContain('timed out');
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(990);
  expect((await client.get('slow')).body.status).toBe('running');
  await writeFile(go, '');
  expect(await client.ended('slow')).toMatchObject({ status: 'completed', stdout: 'done\n' });
});

test('the OOM score of a process is raised', async () => {
  expect(Number((await client.run('cat /proc/self/oom_score_adj')).body.stdout)).toBe(500);
});

test('a process gets its own group', async () => {
  const { body } = await client.run('cut -d" " -f5 /proc/$$/stat');
  expect(body.stdout?.trim()).toBe(body.pid);
});
