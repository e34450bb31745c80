import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { connectMcpClient } from '../../guest/mcp-client.ts';
import { startGuestProcess } from '../../support/guest-process.ts';

const QUIET = { DISABLE_REQUEST_LOGGING: 'true' };

test('the first MCP call costs little memory, and what a thousand more leave behind is bounded', async () => {
  await using fresh = await startGuestProcess({ variables: QUIET });
  const pid = await fresh.guestPid();
  const residentMb = async () =>
    Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  const before = await residentMb();
  await using client = await connectMcpClient(fresh.url);
  const first = await residentMb();
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(Array.from({ length: 50 }, () => client.answer('fsGetWorkingDirectory')));
  }
  const later = await residentMb();
  console.log(
    `RSS of the guest: ${before.toFixed(1)} MB, after the first MCP calls ${first.toFixed(1)} MB, after 1000 more ${later.toFixed(1)} MB`,
  );
  expect(first - before).toBeLessThan(40);
  // V8 lets a heap grow while there is room; what matters is that it ends.
  expect(later - first).toBeLessThan(150);
});
