import { expect, test } from 'vitest';
import { startGuestProcess } from '../../../../tests/harness/guest-process.ts';
import { residentMb } from '../../../../tests/harness/resident-mb.ts';
import { connectMcpClient } from '../mcp-client.ts';

const callCount = 1_000;
const atOnce = 50;
// A guest that leaks 16 KiB per call grows by 16 MB with every thousand calls.
const settledMb = 8;

/** Calls without the official client, which takes more time for a call than the guest does. */
async function call(url: string): Promise<void> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'fsGetWorkingDirectory', arguments: {} },
    }),
  });
  expect(await response.json()).toMatchObject({ result: { structuredContent: {} } });
}

test('the first MCP call costs little memory, and a thousand calls leave nothing behind in a guest that has answered as many', async () => {
  await using guest = await startGuestProcess({ variables: { DISABLE_REQUEST_LOGGING: 'true' } });
  const pid = await guest.guestPid();
  const before = await residentMb(pid);
  await using _client = await connectMcpClient(guest.url);
  const first = await residentMb(pid);
  const grownBy: number[] = [];
  const hasSettled = () => (grownBy.at(-1) ?? Number.POSITIVE_INFINITY) < settledMb;
  // V8 lets a heap grow while there is room, so it settles only after some rounds. A heap that calls leak into never
  // does.
  while (!hasSettled() && grownBy.length < 10) {
    const start = await residentMb(pid);
    for (let sent = 0; sent < callCount; sent += atOnce)
      await Promise.all(Array.from({ length: atOnce }, () => call(guest.url)));
    grownBy.push((await residentMb(pid)) - start);
  }
  console.log(
    `RSS of the guest: ${before.toFixed(1)} MB, after the first MCP calls ${first.toFixed(1)} MB, then ${grownBy.map((mb) => mb.toFixed(1)).join(', ')} MB for each ${callCount} calls`,
  );
  expect(first - before).toBeLessThan(40);
  expect(hasSettled(), `grown by ${grownBy.join(', ')} MB`).toBe(true);
});
