// Streams that say little for long: longer than any keepalive interval here, and than ten minutes in the full run.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { connectMcpClient } from '../../guest/mcp-client.ts';
import { guestClient } from '../../support/guest-client.ts';
import { type GuestContainer, startGuestContainer } from '../../support/guest-container.ts';
import { isFull } from '../../support/size.ts';
import { useGuestDocker } from './guest-docker.ts';

const SECONDS = isFull ? 660 : 62;

const docker = useGuestDocker();

const command = `echo first; sleep ${SECONDS}; echo last`;

test(`R-10 R-55 streams of both isolation classes live for ${SECONDS} seconds and end as they should`, {
  timeout: (SECONDS + 120) * 1_000,
}, async () => {
  const containers = await Promise.all(
    (['runc', 'runsc'] as const).map((runtime) => startGuestContainer(docker.url, { image: docker.image, runtime })),
  );
  await Promise.all(containers.map(everyStream));
  await Promise.all(containers.map((container) => container[Symbol.asyncDispose]()));
});

const everyStream = (container: GuestContainer) =>
  Promise.all([executed(container), logged(container), watched(container), typed(container), waited(container)]);

/** Wire check 3: no blank line, no keepalive among the output, one result at the end. */
async function executed({ url }: GuestContainer): Promise<void> {
  const response = await fetch(`${url}/process`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ command }),
  });
  expect(response.headers.get('content-type')).toContain('application/x-ndjson');
  const lines = (await response.text()).split('\n').slice(0, -1);
  const events = lines.map((line) => JSON.parse(line) as { type: string; data?: string });
  const output = events.filter(({ type }) => type === 'stdout').map(({ data }) => data);
  expect(output.join('')).toBe('first\nlast\n');
  expect(events.filter(({ type }) => type === 'keepalive').length).toBeGreaterThanOrEqual(Math.floor(SECONDS / 5) - 1);
  expect(events.filter(({ type }) => type === 'result')).toHaveLength(1);
  expect(JSON.parse(events.at(-1)?.data ?? '')).toMatchObject({ status: 'completed', exitCode: 0 });
}

async function logged({ url }: GuestContainer): Promise<void> {
  const client = guestClient(url);
  const { pid } = await client.start({ command });
  const lines: string[] = [];
  for await (const line of client.lines(`/process/${pid}/logs/stream`)) lines.push(line);
  expect(lines.filter((line) => line !== '[keepalive]')).toEqual(['stdout:first', 'stdout:last']);
  expect(lines.length - 2).toBeGreaterThanOrEqual(Math.floor(SECONDS / 30) - 1);
}

async function watched({ url }: GuestContainer): Promise<void> {
  const client = guestClient(url);
  await client.json('PUT', '/filesystem/%2Ftmp%2Fwatched', { isDirectory: true });
  const enough = new AbortController();
  const lines: string[] = [];
  const reading = (async () => {
    for await (const line of client.lines('/watch/filesystem/%2Ftmp%2Fwatched', { signal: enough.signal }))
      lines.push(line);
  })().catch(() => undefined);
  await sleep(SECONDS * 1_000);
  await client.json('PUT', '/filesystem/%2Ftmp%2Fwatched%2Flate.txt', { content: 'late' });
  await expect.poll(() => lines.some((line) => line.includes('late.txt')), { timeout: 5_000 }).toBe(true);
  expect(lines).toContain('[keepalive]');
  enough.abort();
  await reading;
}

async function typed({ url }: GuestContainer): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/terminal/ws?sessionId=long`);
  let seen = '';
  socket.on('message', (bytes) => {
    const frame = JSON.parse(bytes.toString()) as { type: string; data: string };
    if (frame.type === 'output') seen += frame.data;
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  let pings = 0;
  socket.on('ping', () => {
    pings += 1;
  });
  await sleep(SECONDS * 1_000);
  expect(pings).toBeGreaterThanOrEqual(Math.floor(SECONDS / 30) - 1);
  socket.send(JSON.stringify({ type: 'input', data: 'echo $((40 + 2))\n' }));
  await expect.poll(() => seen, { timeout: 10_000 }).toContain('42');
  socket.close();
}

/** A tool that would wait longer than proxies do says so instead, and the process goes on. */
async function waited({ url }: GuestContainer): Promise<void> {
  await using mcp = await connectMcpClient(url);
  const startedAt = performance.now();
  const [plain, keptAlive] = await Promise.all([
    mcp.answer('processExecute', { command: 'echo here; sleep 100', waitForCompletion: true, timeout: 90 }),
    // the limit on waiting must not become the time at which the process is killed.
    mcp.answer('processExecute', { command: 'sleep 100', waitForCompletion: true, timeout: 0, keepAlive: true }),
  ]);
  const seconds = (performance.now() - startedAt) / 1000;
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
