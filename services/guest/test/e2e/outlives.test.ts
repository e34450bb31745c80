// The guest answers, stays small and is not killed, regardless of what its child processes do.

import { describe, expect, test } from 'vitest';
import { guestClient, watchHealth } from '../../../../tests/harness/guest-client.ts';
import { type GuestContainer, startGuestContainer } from '../../../../tests/harness/guest-container.ts';
import { isFull, runtimesOf } from '../../../../tests/harness/size.ts';
import { useGuestDocker } from './guest-docker.ts';

// gVisor counts every page of the program's files as resident, so under gVisor only the growth is checked.
const maxGuestRssMb = 120;
const maxGuestGrowthMb = 50;
// A guest that an attack blocks answers only once or twice during the attack.
const minHealthAnswers = 5;
const maxHealthMs = 1_000;

const memoryBombCommand = 'node -e "const kept = []; for (;;) kept.push(Buffer.alloc(1e7, 1))"';

const docker = useGuestDocker();

type Limits = { memoryMb: number; pids?: number };
type Runtime = ReturnType<typeof runtimesOf>[number];

/** Polls health while `attack` runs, and checks that the guest answers, stays small and is not restarted. */
async function underAttack(
  runtime: Runtime,
  limits: Limits,
  attack: (container: GuestContainer) => Promise<void>,
): Promise<void> {
  const variables = limits.pids === undefined ? {} : { SANDBOX_PIDS_LIMIT: String(limits.pids) };
  await using container = await startGuestContainer(docker.url, { image: docker.image, runtime, variables, ...limits });
  const client = guestClient(container.url);
  const before = await client.health();
  const health = watchHealth(client);
  const rss = watchRss(container);
  const idleMb = await rss.now();
  await attack(container);
  const seen = { ...(await health.end()), rssMb: await rss.end() };
  const after = await client.health();
  console.log(
    `${runtime}: health at most ${Math.round(seen.longestMs)} ms (at ${Math.round(seen.longestAtMs)} ms) of ${seen.answers}, guest ${idleMb} to ${seen.rssMb} MB`,
  );
  expect(seen.failures).toEqual([]);
  expect(seen.answers).toBeGreaterThanOrEqual(minHealthAnswers);
  // The service level holds on a quiet machine, and on runc alone: inside gVisor no process has priority.
  if (isFull && runtime === 'runc') expect(seen.longestMs).toBeLessThan(maxHealthMs);
  if (runtime === 'runc') expect(seen.rssMb).toBeLessThan(maxGuestRssMb);
  else expect(seen.rssMb - idleMb).toBeLessThan(maxGuestGrowthMb);
  expect(after.startedAt, 'the guest is still the same').toBe(before.startedAt);
}

// Both runtimes in both sizes: on runc the kernel chooses the process to kill, under gVisor the guest does.
describe.each(['runc', 'runsc'] as const)('under %s', (runtime) => {
  test('R-01 a memory bomb ends itself, not the guest', () =>
    underAttack(runtime, { memoryMb: 512 }, async ({ url }) => {
      const client = guestClient(url);
      const bystander = await client.start({ command: 'sleep 300', name: 'bystander' });
      const bomb = await client.run(memoryBombCommand, { timeout: 120 });
      expect(bomb).toMatchObject({ status: 'failed', exitCode: 137 });
      expect(await client.process(bystander.pid)).toMatchObject({ status: 'running' });
    }));

  test('R-01 of two memory bombs at once each ends itself, and neither the other processes nor the guest', () =>
    underAttack(runtime, { memoryMb: 512 }, async ({ url }) => {
      const client = guestClient(url);
      const bystander = await client.start({ command: 'sleep 300', name: 'bystander' });
      const bombs = await Promise.all([1, 2].map(() => client.run(memoryBombCommand, { timeout: 120 })));
      for (const bomb of bombs) expect(bomb).toMatchObject({ status: 'failed', exitCode: 137 });
      expect(await client.process(bystander.pid)).toMatchObject({ status: 'running' });
    }));
});

// The small size tests runc, where the kernel's scheduler prefers the guest; inside gVisor no process has priority.
describe.each(runtimesOf('runc'))('under %s', (runtime) => {
  test('R-02 200 chatty processes in 1 GB leave the guest small and quick', () =>
    underAttack(runtime, { memoryMb: 1_024 }, async ({ url }) => {
      const client = guestClient(url);
      const seconds = isFull ? 30 : 4;
      const chatter = `end=$(($(date +%s) + ${seconds})); while [ $(date +%s) -lt $end ]; do i=0; while [ $i -lt 2000 ]; do echo "line $i of a chatty process"; i=$((i+1)); done; done`;
      const pids = await Promise.all(
        Array.from(
          { length: 200 },
          async (_, index) => (await client.start({ command: chatter, name: `chat-${index}` })).pid,
        ),
      );
      for (const pid of pids) await untilEnded(url, pid);
      const listed = await client.json<{ pid: string; exitCode: number }[]>('GET', '/process');
      expect(listed.filter(({ pid }) => pids.includes(pid)).map(({ exitCode }) => exitCode)).toEqual(pids.map(() => 0));
    }));

  test('R-02 R-03 output without a newline costs its documented share, however long', () =>
    underAttack(runtime, { memoryMb: 1_024 }, async ({ url }) => {
      const client = guestClient(url);
      const gigabytes = isFull ? 10 : 1;
      const { pid } = await client.start({ command: `head -c ${gigabytes}G /dev/zero`, name: 'endless' });
      await untilEnded(url, pid);
      expect(await client.process(pid)).toMatchObject({ status: 'completed', exitCode: 0 });
      const kept = await client.run('du -sm /var/lib/sandbox | cut -f1');
      expect(Number(kept.stdout)).toBeLessThan(110);
    }));
});

// On runc the kernel limits the number of processes. Under gVisor the helper does, and too high a limit ends the
// sandbox.
test.each(runtimesOf('runsc'))(
  'under %s a fork bomb within the limit of processes leaves the guest answering, and can be killed',
  (runtime) =>
    underAttack(runtime, { memoryMb: 1_024, pids: 512 }, async ({ url }) => {
      const client = guestClient(url);
      await client.start({ command: 'bomb() { bomb | bomb & }; bomb; sleep 60', name: 'bomb' });
      await new Promise((resolve) => setTimeout(resolve, isFull ? 10_000 : 3_000));
      // Retries, because an idle kept-alive connection may be closed; another connection checks that the guest always
      // answers.
      await eventually(() => client.call('DELETE', '/process/bomb/kill'));
      const after = await eventually(() => client.run('echo alive', { timeout: 20 }));
      expect(after.stdout).toBe('alive\n');
    }),
);

async function untilEnded(url: string, pid: string): Promise<void> {
  const client = guestClient(url);
  const deadline = Date.now() + 280_000;
  while (Date.now() < deadline) {
    if ((await client.process(pid)).status !== 'running') return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`Process ${pid} has not ended.`);
}

/** Retries: while the remains of a bomb are reaped, there may be no room for one more process. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

/** Peak memory of the guest, from its own /proc/self/status, read through its file route. */
function watchRss({ url }: GuestContainer) {
  const client = guestClient(url);
  let maxMb = 0;
  const read = async () => {
    const response = await client.call('GET', '/filesystem/%2Fproc%2Fself%2Fstatus?download=true', undefined, {
      signal: AbortSignal.timeout(60_000),
    });
    const [, kb = '0'] = /Vm(?:HWM|RSS):\s+(\d+)/.exec(await response.text()) ?? [];
    maxMb = Math.max(maxMb, Math.round(Number(kb) / 1024));
  };
  const timer = setInterval(() => void read().catch(() => undefined), 500);
  return {
    async now() {
      await read();
      return maxMb;
    },
    async end() {
      clearInterval(timer);
      await read();
      return maxMb;
    },
  };
}
