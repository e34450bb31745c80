import { bytesPerMb } from '@berth/contract/guest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../engines/free-port.ts';
import { type GuestProcess, startGuestProcess } from '../../../tests/harness/guest-process.ts';
import { eventually } from './eventually.ts';
import { connectMcpClient } from './mcp-client.ts';

let guest: GuestProcess;
let mcp: Awaited<ReturnType<typeof connectMcpClient>>;

beforeAll(async () => {
  guest = await startGuestProcess({ variables: { DISABLE_REQUEST_LOGGING: 'true' } });
  mcp = await connectMcpClient(guest.url);
});

afterAll(async () => {
  await mcp[Symbol.asyncDispose]();
  await guest[Symbol.asyncDispose]();
});

const statusOf = async (identifier: unknown) => (await mcp.answer('processGet', { identifier })).status;
async function untilEnded(identifier: unknown): Promise<unknown> {
  // A process that is being stopped is shown as stopped before it has ended.
  const hasEnded = async () => Boolean((await mcp.answer('processGet', { identifier })).completedAt);
  await eventually(hasEnded);
  return statusOf(identifier);
}

test('processExecute answers when the command has started', async () => {
  const started = await mcp.answer('processExecute', { command: 'sleep 600', name: 'sleeper' });
  expect(started).toEqual({ pid: expect.stringMatching(/^\d+$/), name: 'sleeper', status: 'running', exitCode: 0 });
  expect(await mcp.answer('processKill', { identifier: started.pid })).toEqual({ status: 'killed' });
});

test('processExecute waits for the end and gives both streams and the exit code', async () => {
  const ended = await mcp.answer('processExecute', {
    command: 'echo out; echo err >&2; exit 42',
    waitForCompletion: true,
    env: null,
    timeout: null,
  });
  expect(ended).toMatchObject({ status: 'failed', exitCode: 42, logs: expect.stringContaining('out\n') });
  expect(ended.logs).toContain('err\n');
  expect(ended.name).toMatch(/^proc-/);
  expect(ended).not.toHaveProperty('pollRequired');
});

test('the audit log names a process that processExecute starts, and never its command', async () => {
  await mcp.answer('processExecute', { command: 'true s3cret-word', name: 'audited', waitForCompletion: true });
  const audited = () =>
    guest
      .output()
      .split('\n')
      .filter((line) => line.includes('"audit"'));
  await eventually(async () => audited().some((line) => line.includes('process_exec') && line.includes('audited')));
  expect(audited().join('\n')).not.toContain('s3cret-word');
});

test('processExecute starts in / unless told otherwise, with the variables that are given', async () => {
  const run = async (args: object) =>
    (await mcp.answer('processExecute', { command: 'echo "$PWD:$WORD"', waitForCompletion: true, ...args })).logs;
  expect(await run({})).toBe('/:\n');
  expect(await run({ workingDir: '/tmp', env: { WORD: 'a b' } })).toBe('/tmp:a b\n');
});

test('processExecute says why a command cannot start', async () => {
  expect(await mcp.failure('processExecute', { command: 'true', workingDir: '/none' })).toMatch(
    /\/none.*does not exist/,
  );
  expect(await mcp.failure('processExecute', { command: 'true', name: 'not a name' })).toMatch(/name/);
  expect(await mcp.failure('processExecute', { command: '' })).toMatch(/command/);
  expect(await mcp.failure('processExecute', { command: 'true', timeout: -1 })).toMatch(/timeout/);
});

test('R-16 a running name is refused through MCP as well, also when 10 ask at once, and free afterwards', async () => {
  const attempts = await Promise.allSettled(
    Array.from({ length: 10 }, () => mcp.answer('processExecute', { command: 'sleep 600', name: 'only-one' })),
  );
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await mcp.failure('processExecute', { command: 'true', name: 'only-one' })).toMatch(
    /already exists and is running/,
  );
  await mcp.answer('processKill', { identifier: 'only-one' });
  await untilEnded('only-one');
  const again = await mcp.answer('processExecute', { command: 'true', name: 'only-one', waitForCompletion: true });
  expect(again.status).toBe('completed');
});

test('a timeout of the caller that elapses is an error, and the process goes on', async () => {
  const command = { command: 'sleep 600', name: 'slow', waitForCompletion: true, timeout: 1 };
  expect(await mcp.failure('processExecute', command)).toMatch(/timed out after 1 s.*processGet/);
  expect(await statusOf('slow')).toBe('running');
  await mcp.answer('processStop', { identifier: 'slow' });
});

test('with keepAlive the timeout kills the process and is an error as well', async () => {
  const command = { command: 'sleep 600', name: 'mortal', waitForCompletion: true, timeout: 1, keepAlive: true };
  expect(await mcp.failure('processExecute', command)).toMatch(/timed out after 1 s/);
  expect(await untilEnded('mortal')).not.toBe('running');
});

test('processExecute waits for ports', async () => {
  const port = await freePort();
  const server = `require('http').createServer((q, s) => s.end('hi')).listen(${port})`;
  const command = `${process.execPath} -e "${server}"`;
  const served = await mcp.answer('processExecute', { command, waitForPorts: [port], timeout: 45 });
  expect(served.status).toBe('running');
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('hi');
  await mcp.answer('processKill', { identifier: served.pid });
});

test('R-17 a wait for ports ends as soon as the process does, with its last output', async () => {
  const failed = await mcp.failure('processExecute', {
    command: 'echo cannot bind; exit 3',
    waitForPorts: [await freePort()],
    timeout: 45,
  });
  // A wait that ran into its timeout would fail with another message.
  expect(failed).toMatch(/exit code 3.*cannot bind/);
});

test('processGet, processGetLogs and processesList show a process with its output', async () => {
  const { pid } = await mcp.answer('processExecute', {
    command: 'echo one; echo two >&2',
    name: 'shown',
    waitForCompletion: true,
  });
  const shown = await mcp.answer('processGet', { identifier: 'shown' });
  expect(shown).toMatchObject({
    pid,
    name: 'shown',
    status: 'completed',
    exitCode: 0,
    stdout: 'one\n',
    stderr: 'two\n',
  });
  const { logs } = await mcp.answer('processGetLogs', { identifier: pid });
  expect(String(logs).split('\n').sort()).toEqual(['', 'one', 'two']);
  const { processes } = await mcp.answer('processesList');
  expect(processes).toContainEqual(expect.objectContaining({ pid, name: 'shown', stdout: 'one\n' }));
});

test('processesList stays small however much the processes printed', async () => {
  await Promise.all(
    Array.from({ length: 30 }, () =>
      mcp.answer('processExecute', {
        command: 'head -c 200000 /dev/zero | tr "\\0" x; echo END',
        waitForCompletion: true,
      }),
    ),
  );
  const { processes } = await mcp.answer('processesList');
  const { pid } =
    (processes as { pid: string; stdout: string }[]).find(({ stdout }) => stdout.endsWith('xEND\n')) ?? {};
  expect(String((await mcp.answer('processGetLogs', { identifier: pid })).logs)).toHaveLength(200_004);
  expect(JSON.stringify(processes).length).toBeLessThan(2 * bytesPerMb);
  expect(JSON.stringify(processes)).toContain('xxxEND');
});

test('processStop and processKill tell what became of it, and refuse what is not there or not running', async () => {
  const { pid } = await mcp.answer('processExecute', { command: 'exec sleep 600' });
  expect(await mcp.answer('processStop', { identifier: pid })).toEqual({ status: 'stopped' });
  expect(await untilEnded(pid)).toBe('stopped');
  for (const tool of ['processStop', 'processKill']) {
    expect(await mcp.failure(tool, { identifier: pid })).toMatch(/not running/);
    expect(await mcp.failure(tool, { identifier: 'nobody' })).toMatch(/no process nobody/);
  }
  expect(await mcp.failure('processGet', { identifier: 'nobody' })).toMatch(/processesList/);
  expect(await mcp.failure('processGetLogs', { identifier: 'nobody' })).toMatch(/processesList/);
});

test('R-55 50 commands at once each give their own output', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      mcp.answer('processExecute', { command: `echo I am ${index}`, waitForCompletion: true, timeout: 50 }),
    ),
  );
  expect(answers.map(({ logs }) => logs)).toEqual(answers.map((_, index) => `I am ${index}\n`));
}, 60_000);

test('a caller that leaves ends its wait and not the process', async () => {
  const leaving = new AbortController();
  const call = fetch(`${guest.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'processExecute', arguments: { command: 'sleep 600', name: 'left', waitForCompletion: true } },
    }),
    signal: leaving.signal,
  });
  call.catch(() => undefined);
  await eventually(async () => {
    const { processes } = await mcp.answer('processesList');
    return (processes as { name: string }[]).some(({ name }) => name === 'left');
  });
  leaving.abort();
  await expect(call).rejects.toThrow();
  expect(await statusOf('left')).toBe('running');
  await mcp.answer('processKill', { identifier: 'left' });
});
