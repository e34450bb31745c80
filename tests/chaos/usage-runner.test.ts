// A runner is killed while an agent and a sandbox run: the account is never billed for more than ran, and for each kill at
// most ten seconds less.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AwakeWatch } from '../harness/awake-watch.ts';
import { billedMs, meteredInstances } from '../harness/billed-usage.ts';
import { SandboxMachine } from '../harness/sandbox-machine.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { isFull, seed } from '../harness/size.ts';
import { agent, clientOf, settled } from '../harness/workloads.ts';

const kills = 10;
const memoryMb = 512;
/** The edges of an interval are stamped this long after what the kernel sees, at most. */
const stampMs = 60;
const lossMs = 10_000;
const random = seededRandom(seed);

describe.skipIf(!isFull)('a runner that is killed', () => {
  let sandboxes: SandboxMachine;
  let watch: AwakeWatch;
  beforeAll(async () => {
    sandboxes = await SandboxMachine.start({
      ...{ name: 'usage-runner', isolation: 'runc', pool: 0 },
      // A runner that starts slowly is not lost: time in which it counts as lost is not billed.
      settings: { BERTH_API_NODE_LOST_AFTER_SECONDS: '300' },
    });
    watch = new AwakeWatch(sandboxes.machine.dockerUrl);
  });
  afterAll(async () => {
    await watch?.[Symbol.asyncDispose]();
    await sandboxes?.[Symbol.asyncDispose]();
  });

  test(`through ${kills} kills of the runner nothing is billed that did not run (seed ${seed})`, async () => {
    const client = clientOf(sandboxes.fleet);
    const box = { name: 'box', workspace: 'main', memoryMb, envs: 0 };
    const askedAt = performance.now();
    await client.post('/agents', agent('web', { generation: 'mk2' }));
    await settled(client, '/agents/web', ['DEPLOYED']);
    await sandboxes.create(box);
    const readyAt = performance.now();
    for (let round = 0; round < kills; round += 1) {
      // The sandbox sleeps in every other round, also while the runner is away.
      if (round % 2 === 1) await sandboxes.sleep(box);
      else await sandboxes.exec(box, 'true');
      await sleep(1_000 + random() * 4_000);
      await sandboxes.machine.runner.kill();
      await sleep(random() * 1_000);
      await sandboxes.machine.runner.start();
      await expect.poll(() => sandboxes.exec(box, 'echo awake').catch(String), { timeout: 60_000 }).toBe('awake\n');
    }
    const removedAt = performance.now();
    await Promise.all([client.delete('/agents/web'), sandboxes.remove(box)]);
    for (const [name, memory] of [
      ['web', 128],
      ['box', memoryMb],
    ] as const) {
      const instances = await meteredInstances(sandboxes.fleet, name);
      const billed = await billedMs(sandboxes.fleet, name, memory);
      const { atLeastMs } = watch.of(instances, readyAt, removedAt);
      const { atMostMs } = watch.of(instances, askedAt);
      console.log(
        `${name}: billed ${billed.toFixed(0)} ms, ran ${atLeastMs.toFixed(0)} to ${atMostMs.toFixed(0)}, ${kills} kills`,
      );
      expect(atLeastMs).toBeGreaterThan(0);
      expect(billed).toBeLessThanOrEqual(atMostMs + stampMs * 2 * (kills + 1));
      expect(billed).toBeGreaterThanOrEqual(0.98 * atLeastMs - lossMs * kills);
    }
  }, 600_000);
});
