import { existsSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../engines/free-port.ts';
import { childrenOf } from '../../../tests/harness/children-of.ts';
import { type GuestProcess, startGuestProcess } from '../../../tests/harness/guest-process.ts';
import { isFull } from '../../../tests/harness/size.ts';
import { processStats } from '../src/proc/proc-files.ts';
import { eventually } from './eventually.ts';
import { ProcessClient } from './process-client.ts';

let guest: GuestProcess;
let client: ProcessClient;
beforeAll(async () => {
  guest = await startGuestProcess();
  client = new ProcessClient(guest.url);
});
afterAll(() => guest[Symbol.asyncDispose]());

const isAlive = (pid: number | string) => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** The mark in the environment of what a process starts. */
function markOf(pid: number | string): string | undefined {
  try {
    return /SANDBOX_PROCESS_KEY=\w+/.exec(readFileSync(`/proc/${pid}/environ`, 'latin1'))?.[0];
  } catch {
    return undefined;
  }
}

const marked = (marks: ReadonlySet<string | undefined>): string[] =>
  readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && marks.has(markOf(pid) ?? '') && isAlive(pid));

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function stateOf(pid: string) {
  const folder = join(guest.stateFolder, 'processes');
  for (const id of readdirSync(folder)) {
    const path = join(folder, id, 'state.json');
    const state = JSON.parse(readFileSync(path, 'utf8'));
    if (String(state.pid) === pid) return { path, state };
  }
  throw new Error(`There is no state of ${pid}.`);
}

test('R-13 a stopped process is stopped whatever its exit code, and is not restarted', async () => {
  const clean = await client.start({
    command: 'trap "echo bye; exit 0" TERM; echo on; while :; do sleep 0.05; done',
    restartOnFailure: true,
    maxRestarts: 5,
  });
  await client.until(clean.body.pid, ({ stdout }) => stdout === 'on\n');
  // The grace is long: on a busy machine the process must not be killed before it has printed its last line.
  expect((await client.stop(clean.body.pid, '?grace=45')).status).toBe(200);
  // The status is `stopped` at once, and stays so.
  expect((await client.get(clean.body.pid)).body.status).toBe('stopped');
  const ended = await client.ended(clean.body.pid);
  expect(ended).toMatchObject({ status: 'stopped', exitCode: 0, restartCount: 0, stdout: 'on\nbye\n' });
  expect(ended.logs).toContain('being gracefully terminated');
  const again = await client.stop(clean.body.pid);
  expect(again.status).toBe(404);
});

test('a killed process is killed, with 137', async () => {
  const { body } = await client.start({ command: 'sleep 30', restartOnFailure: true, maxRestarts: -1 });
  expect((await client.kill(body.pid)).status).toBe(200);
  const ended = await client.ended(body.pid);
  expect(ended).toMatchObject({ status: 'killed', exitCode: 137, restartCount: 0 });
  expect(ended.logs).toContain('being forcefully killed');
  expect((await client.kill(body.pid)).status).toBe(404);
});

test('R-15 U-22 a stop that is ignored becomes a kill after its grace', async () => {
  const { body } = await client.start({ command: 'trap "" TERM; echo on; while :; do sleep 0.05; done' });
  await client.until(body.pid, ({ stdout }) => stdout === 'on\n');
  expect((await client.stop(body.pid, '?grace=nonsense')).status).toBe(400);
  const askedAt = Date.now();
  await client.stop(body.pid, '?grace=0.5');
  const ended = await client.ended(body.pid);
  expect(Date.now() - askedAt).toBeGreaterThanOrEqual(490);
  expect(ended).toMatchObject({ status: 'stopped', exitCode: 137 });
  expect(ended.logs).toMatch(/gracefully terminated[\s\S]*forcefully killed/);
});

test('R-14 stop reaches children, and those that left the group or were adopted', async () => {
  const { body } = await client.start({
    command: 'sleep 301 & setsid sleep 302 & (setsid sleep 303 &) ; echo on; wait',
  });
  await client.until(body.pid, ({ stdout }) => stdout === 'on\n');
  const marks = new Set([markOf(body.pid)]);
  await eventually(() => marked(marks).length === 4);
  await client.kill(body.pid);
  await client.ended(body.pid);
  await eventually(() => marked(marks).length === 0);
});

test('R-14 kills at the same moment reach what each process started, and nothing of another one', async () => {
  const count = isFull ? 200 : 40;
  // The last child has another session, another parent and no mark: it is found by its living parent, which has the mark.
  const command = '(setsid sh -c "env -i sleep 304; true" &) ; (setsid sleep 305 &) ; echo on; exec sleep 306';
  const started = await Promise.all(Array.from({ length: count }, () => client.start({ command })));
  const pids = started.map(({ body }) => body.pid);
  for (const pid of pids) await client.until(pid, ({ stdout }) => stdout === 'on\n');
  const [kept = '', ...killed] = pids;
  const [keptMarks, killedMarks] = [new Set([markOf(kept)]), new Set(killed.map(markOf))];
  await eventually(() => marked(killedMarks).length === 3 * killed.length && marked(keptMarks).length === 3);
  const unmarked = () => {
    const parents = new Set(marked(killedMarks).map(Number));
    return processStats().filter(({ pid, parent }) => parents.has(parent) && markOf(pid) === undefined);
  };
  await eventually(() => unmarked().length === killed.length);
  const bare = unmarked().map(({ pid }) => pid);
  await Promise.all(killed.map((pid) => client.kill(pid)));
  await eventually(() => marked(killedMarks).length === 0 && !bare.some(isAlive));
  expect(marked(keptMarks)).toHaveLength(3);
  await client.kill(kept);
  await eventually(() => marked(keptMarks).length === 0);
});

test('R-11 R-12 a restart keeps pid, variables and options, counts, and leaves its marks; kill then hits the new process', async () => {
  const { body } = await client.start({
    command:
      'echo "$OWN $$"; n=$(cat count 2>/dev/null || echo 0); echo $((n+1)) > count; [ $n -ge 2 ] && exec sleep 60; exit 3',
    env: { OWN: 'kept' },
    restartOnFailure: true,
    maxRestarts: 5,
    name: 'restarted',
  });
  // Waits for both: the output of one stream is kept in another file than the output of all of them.
  const linesOf = (text: string | null | undefined) => text?.match(/^kept /gm)?.length;
  const running = await client.until(
    'restarted',
    ({ restartCount, stdout, logs }) => restartCount === 2 && linesOf(stdout) === 3 && linesOf(logs) === 3,
  );
  expect(running).toMatchObject({ pid: body.pid, status: 'running', exitCode: 0, maxRestarts: 5 });
  const pids = [...(running.stdout ?? '').matchAll(/^kept (\d+)$/gm)].map(([, pid]) => pid);
  expect(pids).toHaveLength(3);
  expect(pids[0]).toBe(body.pid);
  expect(running.logs).toMatch(
    /^kept \d+\n\[Process failed with exit code 3. Attempting restart 1\/5.*\]\nkept \d+\n\[.*Attempting restart 2\/5.*\]\nkept \d+\n$/,
  );
  expect(isAlive(pids[2] ?? '')).toBe(true);
  await client.kill(body.pid);
  await client.ended(body.pid);
  expect(isAlive(pids[2] ?? '')).toBe(false);
});

test('a waiting caller gets the last attempt’s result', async () => {
  const { body } = await client.run('echo try; exit 7', { restartOnFailure: true, maxRestarts: 1 });
  expect(body).toMatchObject({ status: 'failed', exitCode: 7, restartCount: 1, stdout: 'try\ntry\n' });
  expect(body.logs).toContain('Attempting restart 1/1');
});

test('unlimited restarts say so, a stop between two attempts ends them', async () => {
  const { body } = await client.start({ command: 'exit 1', restartOnFailure: true, maxRestarts: -1 });
  await client.until(body.pid, ({ logs }) => logs?.includes('Attempting restart 1/unlimited') ?? false);
  expect((await client.get(body.pid)).body.status).toBe('running');
  expect((await client.stop(body.pid)).status).toBe(200);
  expect((await client.ended(body.pid)).status).toBe('stopped');
});

test('a signal sent through the API is no failure; one from elsewhere is', async () => {
  const wish = { restartOnFailure: true, maxRestarts: 3, command: 'sleep 30' };
  const asked = (await client.start(wish)).body;
  const signal = (value: unknown) =>
    client.call<{ error?: string }>('POST', `/process/${asked.pid}/signal`, { signal: value });
  expect((await signal('NONSENSE')).status).toBe(400);
  expect((await signal('SIGHUP')).status).toBe(200);
  expect(await client.ended(asked.pid)).toMatchObject({ status: 'stopped', exitCode: 129, restartCount: 0 });
  expect((await signal(1)).status).toBe(404);
  const other = (await client.start(wish)).body;
  process.kill(Number(other.pid), 'SIGHUP');
  await client.until(other.pid, ({ restartCount }) => restartCount === 1);
  await client.kill(other.pid);
});

test('R-19 R-20 keepAlive with a timeout is killed after it, and the wait ends as timed out', async () => {
  const { status, body } = await client.run('sleep 600', { keepAlive: true, timeout: 1, name: 'bounded' });
  expect(status).toBe(422);
  expect(body.error).toContain('timed out');
  expect(await client.ended('bounded')).toMatchObject({ status: 'killed', exitCode: 137, keepAlive: true });
});

test('keepAlive on a sandbox where it is disabled is a 400', async () => {
  await using other = await startGuestProcess({ variables: { SERVICE_DISABLE_KEEPALIVE: 'true' } });
  const { status, body } = await new ProcessClient(other.url).start({ command: 'true', keepAlive: true });
  expect(status).toBe(400);
  expect(body.error).toContain('keepAlive is disabled');
});

test('R-17 waiting for a port ends as soon as the process does, with its exit code and last output', async () => {
  const waitForPorts = [await freePort()];
  // The timeout is longer than the test.
  const { status, body } = await client.start({ command: 'echo no such module; exit 9', waitForPorts, timeout: 600 });
  expect(status).toBe(422);
  expect(body.error).toMatch(/exit code 9.*no such module/);
});

test('waiting for ports and then for the end happens under one timer', async () => {
  const port = await freePort();
  const listen = `require('net').createServer().listen(${port}, '0.0.0.0', () => console.log('listens'))`;
  const command = `sleep 3; exec ${process.execPath} -e "${listen}"`;
  const answers: string[] = [];
  const both = client
    .run(command, { waitForPorts: [port], timeout: 4, name: 'both' })
    .finally(() => answers.push('both'));
  await client.until('both', ({ stdout }) => stdout === 'listens\n' || answers.length > 0);
  // A second timer for the wait would start now, and end after this reference.
  const reference = client.run('sleep 60', { timeout: 3, name: 'reference' }).finally(() => answers.push('reference'));
  const { status, body } = await both;
  expect(status).toBe(422);
  expect(body.error).toContain('timed out after 4 s');
  await reference;
  expect(answers).toEqual(['both', 'reference']);
  await client.kill('both');
  await client.kill('reference');
});

test('R-18 a server in the background counts, one on the loopback address alone does not', async () => {
  const serve = (host: string, port: number) =>
    `node -e "require('net').createServer().listen(${port}, '${host}')"`.replace('node', process.execPath);
  const [everywhere, inside] = [await freePort(), await freePort()];
  const ready = await client.start({
    command: `${serve('0.0.0.0', everywhere)} & sleep 60`,
    waitForPorts: [everywhere],
    timeout: 45,
  });
  expect(ready.status).toBe(200);
  const loopback = await client.start({ command: serve('127.0.0.1', inside), waitForPorts: [inside], timeout: 2 });
  expect(loopback.status).toBe(422);
  expect(loopback.body.error).toContain('timed out');
  const list = await client.call<{ pid: string; status: string }[]>('GET', '/process');
  for (const { pid, status } of list.body) if (status === 'running') await client.kill(pid);
});

test('R-11 the state of a process is for its owner alone and holds the request’s variables, not the guest’s', async () => {
  const { body } = await client.run('true', { env: { TOKEN: 'secret' } });
  const found = stateOf(body.pid);
  expect(statSync(found.path).mode & 0o777).toBe(0o600);
  expect(found.state.env).toEqual({ TOKEN: 'secret' });
  expect(readFileSync(found.path, 'utf8')).not.toContain('/usr/local/bin:/usr/bin:/bin');
});

test('R-09 R-19 R-23 when the guest dies, processes run on, and the next guest knows all about them', async () => {
  await using own = await startGuestProcess();
  const calls = new ProcessClient(own.url);
  const chatty = await calls.start({
    command: 'i=0; while :; do i=$((i+1)); echo line $i; sleep 0.02; done',
    keepAlive: true,
    timeout: 0,
    name: 'chatty',
  });
  const bounded = await calls.start({ command: 'sleep 60', keepAlive: true, timeout: 3, name: 'bounded' });
  const ending = await calls.start({ command: 'sleep 0.6; echo ended alone; exit 5', name: 'ending' });
  const failing = await calls.start({
    command: 'echo "$OWN"; sleep 0.6; exit 1',
    env: { OWN: 'kept' },
    restartOnFailure: true,
    maxRestarts: 1,
    name: 'failing',
  });
  const deaf = 'trap "" TERM; echo on; while :; do sleep 0.05; done';
  const stopping = await calls.start({ command: deaf, name: 'stopping' });
  await calls.run('echo before', { name: 'before' });
  await calls.until('stopping', ({ stdout }) => stdout === 'on\n');
  await calls.stop('stopping', '?grace=2');
  const first = await own.guestPid();
  process.kill(first, 'SIGKILL');
  await eventually(async () => (await own.guestPid()) !== first);

  expect((await calls.get('before')).body).toMatchObject({ status: 'completed', stdout: 'before\n' });
  expect((await calls.get('chatty')).body).toMatchObject({ pid: chatty.body.pid, status: 'running', keepAlive: true });
  expect(await calls.ended('ending')).toMatchObject({
    pid: ending.body.pid,
    status: 'failed',
    exitCode: 5,
    stdout: 'ended alone\n',
  });
  expect(await calls.ended('stopping')).toMatchObject({ pid: stopping.body.pid, status: 'stopped', exitCode: 137 });
  expect(await calls.ended('failing')).toMatchObject({
    pid: failing.body.pid,
    status: 'failed',
    restartCount: 1,
    stdout: 'kept\nkept\n',
  });
  expect(await calls.ended('bounded')).toMatchObject({ pid: bounded.body.pid, status: 'killed' });
  // The name of a process that ran before the guest died is still taken.
  expect((await calls.start({ command: 'true', name: 'chatty' })).status).toBe(400);
  await calls.until('chatty', ({ stdout }) => stdout?.includes('line 21\n') ?? false);
  await calls.kill('chatty');
  await calls.ended('chatty');
  const numbers = [...(await calls.logs('chatty')).body.stdout.matchAll(/^line (\d+)$/gm)].map(([, number]) =>
    Number(number),
  );
  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

test('the startup command runs in / once for each life of the container, not again for a new guest', async () => {
  await using own = await startGuestProcess({ args: ['--command', 'pwd; exit 3'] });
  const calls = new ProcessClient(own.url);
  type List = { pid: string; status: string; stdout: string; workingDir: string }[];
  const list = async () => (await calls.call<List>('GET', '/process')).body;
  await eventually(async () => (await list()).at(0)?.status === 'failed');
  expect(await list()).toMatchObject([{ stdout: '/\n', workingDir: '/' }]);
  const first = await own.guestPid();
  process.kill(first, 'SIGKILL');
  await eventually(async () => (await own.guestPid()) !== first);
  expect(await list()).toHaveLength(1);
});

test('output of a server left in the background is kept after its shell has ended', async () => {
  const go = join(guest.stateFolder, 'go-later');
  const { body } = await client.run(`(while ! test -e ${go}; do sleep 0.05; done; echo later) & echo first`);
  expect(body.stdout).toBe('first\n');
  writeFileSync(go, '');
  const got = await client.until(body.pid, ({ stdout }) => stdout === 'first\nlater\n');
  expect(got.status).toBe('completed');
  expect(existsSync(guest.stateFolder)).toBe(true);
});

const shortProcesses = isFull ? 2_000 : 240;

test('R-08 hundreds of short processes leave no descriptor behind', { timeout: 300_000 }, async () => {
  await using own = await startGuestProcess({ variables: { DISABLE_REQUEST_LOGGING: 'true' } });
  const calls = new ProcessClient(own.url);
  // Sockets do not count: they are connections of the caller, which keeps any number of them.
  const open = (pid: number) =>
    readdirSync(`/proc/${pid}/fd`).filter((fd) => !linkOf(`/proc/${pid}/fd/${fd}`).startsWith('socket:')).length;
  const round = async (count: number) => {
    for (let done = 0; done < count; done += 20)
      await Promise.all(Array.from({ length: 20 }, () => calls.run('echo hi; echo err >&2')));
  };
  await round(60);
  const guestPid = await own.guestPid();
  const before = { helper: open(own.pid), guest: open(guestPid) };
  await round(shortProcesses);
  await eventually(() => open(own.pid) <= before.helper && open(guestPid) <= before.guest);
  expect(childrenOf(own.pid).filter(({ state }) => state === 'Z')).toEqual([]);
});
