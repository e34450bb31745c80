// Streams that stay quiet for long: until each has sent a keepalive, and for eleven minutes in the full size.
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { guestClient } from '../../../../tests/harness/guest-client.ts';
import { type GuestContainer, startGuestContainer } from '../../../../tests/harness/guest-container.ts';
import { isFull, runtimesOf } from '../../../../tests/harness/size.ts';
import { connectMcpClient } from '../mcp-client.ts';
import { useGuestDocker } from './guest-docker.ts';

const quietSeconds = isFull ? 660 : 0;

const docker = useGuestDocker();

const startedAt = performance.now();
/** True once `quietSeconds` have passed. The next keepalive of a stream then ends its quiet phase. */
const isLongEnough = () => performance.now() - startedAt > quietSeconds * 1_000;

test('R-10 R-55 quiet streams live beyond their keepalives, and end as they should', {
  timeout: (quietSeconds + 300) * 1_000,
}, async () => {
  const containers = await Promise.all(
    // gVisor has its own TCP, whose timers could end a quiet connection.
    runtimesOf('runsc').map((runtime) => startGuestContainer(docker.url, { image: docker.image, runtime })),
  );
  await Promise.all(containers.map(everyStream));
  await Promise.all(containers.map((container) => container[Symbol.asyncDispose]()));
});

const everyStream = (container: GuestContainer) =>
  Promise.all([
    executed(container),
    logged(container),
    watched(container),
    typed(container),
    // Takes a minute. services/guest/test/mcp-wait.test.ts tests the same wait with fake timers.
    ...(isFull ? [waited(container)] : []),
  ]);

/** A command that is quiet until the test makes a file. */
function quietCommand({ url }: GuestContainer, name: string) {
  const file = `/tmp/go-${name}`;
  return {
    command: `echo first; while ! test -e ${file}; do sleep 0.2; done; echo last`,
    goOn: () => guestClient(url).json('PUT', `/filesystem/${encodeURIComponent(file)}`, { content: '' }),
  };
}

/** Wire check 3: no blank line, no keepalive in the output, one result at the end. */
async function executed(container: GuestContainer): Promise<void> {
  const { command, goOn } = quietCommand(container, 'executed');
  const response = await fetch(`${container.url}/process`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ command }),
  });
  expect(response.headers.get('content-type')).toContain('application/x-ndjson');
  let text = '';
  for await (const chunk of response.body ?? []) {
    const added = Buffer.from(chunk).toString();
    text += added;
    if (added.includes('"keepalive"') && isLongEnough()) await goOn();
  }
  const lines = text.split('\n').slice(0, -1);
  const events = lines.map((line) => JSON.parse(line) as { type: string; data?: string });
  const output = events.filter(({ type }) => type === 'stdout').map(({ data }) => data);
  expect(output.join('')).toBe('first\nlast\n');
  // A keepalive comes every five seconds; the check allows half as many.
  expect(events.filter(({ type }) => type === 'keepalive').length).toBeGreaterThanOrEqual(quietSeconds / 10);
  expect(events.filter(({ type }) => type === 'result')).toHaveLength(1);
  expect(JSON.parse(events.at(-1)?.data ?? '')).toMatchObject({ status: 'completed', exitCode: 0 });
}

async function logged(container: GuestContainer): Promise<void> {
  const { command, goOn } = quietCommand(container, 'logged');
  const client = guestClient(container.url);
  const { pid } = await client.start({ command });
  const lines: string[] = [];
  for await (const line of client.lines(`/process/${pid}/logs/stream`)) {
    lines.push(line);
    if (line === '[keepalive]' && isLongEnough()) await goOn();
  }
  expect(lines.filter((line) => line !== '[keepalive]')).toEqual(['stdout:first', 'stdout:last']);
  // A keepalive comes every thirty seconds; the check allows half as many.
  expect(lines.length - 2).toBeGreaterThanOrEqual(quietSeconds / 60);
}

async function watched({ url }: GuestContainer): Promise<void> {
  const client = guestClient(url);
  await client.json('PUT', '/filesystem/%2Ftmp%2Fwatched', { isDirectory: true });
  const leaving = new AbortController();
  const reading = async () => {
    for await (const line of client.lines('/watch/filesystem/%2Ftmp%2Fwatched', { signal: leaving.signal })) {
      if (line === '[keepalive]' && isLongEnough())
        await client.json('PUT', '/filesystem/%2Ftmp%2Fwatched%2Flate.txt', { content: 'late' });
      if (line.includes('late.txt')) leaving.abort();
    }
  };
  // The stream never ends by itself: the reader aborts it once it has seen the late file.
  await expect(reading()).rejects.toThrow();
  expect(leaving.signal.aborted).toBe(true);
}

async function typed({ url }: GuestContainer): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/terminal/ws?sessionId=long`);
  let seen = '';
  socket.on('message', (bytes) => {
    const frame = JSON.parse(bytes.toString()) as { type: string; data: string };
    if (frame.type === 'output') seen += frame.data;
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  await new Promise<void>((resolve) => socket.on('ping', () => isLongEnough() && resolve()));
  socket.send(JSON.stringify({ type: 'input', data: 'echo $((40 + 2))\n' }));
  await expect.poll(() => seen, { timeout: 45_000 }).toContain('42');
  socket.close();
}

/** A tool that would wait longer than proxies allow returns `pollRequired` instead, and the process goes on. */
async function waited({ url }: GuestContainer): Promise<void> {
  await using mcp = await connectMcpClient(url);
  const askedAt = performance.now();
  const [plain, keptAlive] = await Promise.all([
    mcp.answer('processExecute', { command: 'echo here; sleep 100', waitForCompletion: true, timeout: 90 }),
    // the limit on waiting must not become the time at which the process is killed.
    mcp.answer('processExecute', { command: 'sleep 100', waitForCompletion: true, timeout: 0, keepAlive: true }),
  ]);
  const seconds = (performance.now() - askedAt) / 1000;
  expect(seconds).toBeGreaterThan(57);
  expect(seconds).toBeLessThan(60);
  for (const answer of [plain, keptAlive]) {
    expect(answer).toMatchObject({
      status: 'running',
      pollRequired: true,
      message: expect.stringContaining('processGet'),
    });
    expect(await mcp.answer('processGet', { identifier: answer.pid })).toMatchObject({ status: 'running' });
    await mcp.answer('processKill', { identifier: answer.pid });
  }
  expect(plain.logs).toBe('here\n');
}
