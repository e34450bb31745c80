import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { connectMcpClient } from '../../guest/mcp-client.ts';
import { startGuestProcess } from '../../support/guest-process.ts';

const CALLS = 1_000;
const AT_ONCE = 50;

test('the first MCP call costs little memory, and a thousand calls leave nothing behind in a guest that has answered as many', async () => {
  await using guest = await startGuestProcess({ variables: { DISABLE_REQUEST_LOGGING: 'true' } });
  const pid = await guest.guestPid();
  const residentMb = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  const before = await residentMb();
  await using client = await connectMcpClient(guest.url);
  const first = await residentMb();
  const grownBy: number[] = [];
  // V8 lets a heap grow while there is room, so the first rounds are not held against the guest.
  for (let round = 0; round < 4; round += 1) {
    const start = await residentMb();
    for (let call = 0; call < CALLS; call += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => client.answer('fsGetWorkingDirectory')));
    grownBy.push((await residentMb()) - start);
  }
  console.log(
    `RSS of the guest: ${before.toFixed(1)} MB, after the first MCP calls ${first.toFixed(1)} MB, then ${grownBy.map((mb) => mb.toFixed(1)).join(', ')} MB for each ${CALLS} calls`,
  );
  expect(first - before).toBeLessThan(40);
  // A guest that keeps 16 KiB of each call grows by 16 MB every time.
  expect(Math.min(...grownBy)).toBeLessThan(8);
});
