// What an account is billed for, beside what the engine and the kernel say ran: a sandbox that sleeps, an agent that scales
// from zero and back, and the tasks of a job, on a real deployment.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AwakeWatch } from '../harness/awake-watch.ts';
import { billedMs, meteredInstances } from '../harness/billed-usage.ts';
import { ended, makeJob, startExecution } from '../harness/job-executions.ts';
import { SandboxMachine } from '../harness/sandbox-machine.ts';
import { importScriptImage } from '../harness/script-image.ts';
import { isFull } from '../harness/size.ts';
import { berthOf, clientOf, deployAgent, instancesOf, isolationsOf } from '../harness/workloads.ts';

const seconds = isFull ? { pool: 10, awake: 30, asleep: 30, again: 10 } : { pool: 4, awake: 6, asleep: 5, again: 3 };
const tasks = isFull ? 20 : 6;
/** The edges of an interval are stamped this long after what the kernel sees, at most. */
const stampMs = 60;

describe.each(isolationsOf('gvisor'))('on $isolation', ({ isolation, generation }) => {
  let sandboxes: SandboxMachine;
  let watch: AwakeWatch;
  beforeAll(async () => {
    sandboxes = await SandboxMachine.start({
      ...{ name: `usage-${isolation}`, isolation, pool: 1 },
      settings: { BERTH_SCALING_IDLE_SECONDS: '2' },
    });
    watch = new AwakeWatch(sandboxes.machine.dockerUrl);
  });
  afterAll(async () => {
    await watch?.[Symbol.asyncDispose]();
    await sandboxes?.[Symbol.asyncDispose]();
  });

  /** An unused sandbox falls asleep by itself after a while. */
  async function stayAwake(box: { name: string; workspace: string }, forSeconds: number): Promise<void> {
    for (let slept = 0; slept < forSeconds; slept += 3) {
      await sandboxes.exec(box, 'true');
      await sleep(3_000);
    }
  }

  test('a sandbox from the pool is billed from its handover to its end, and not while it waits or sleeps', async () => {
    const memoryMb = 512;
    const box = { name: 'box', workspace: 'main', memoryMb, envs: 0 };
    await sleep(seconds.pool * 1_000);
    const askedAt = performance.now();
    await sandboxes.create(box);
    const answeredAt = performance.now();
    await stayAwake(box, seconds.awake);
    await sandboxes.sleep(box);
    await sleep(seconds.asleep * 1_000);
    expect(await sandboxes.exec(box, 'echo awake')).toBe('awake\n');
    await sleep(seconds.again * 1_000);
    const removedAt = performance.now();
    await sandboxes.remove(box);
    const instances = await meteredInstances(sandboxes.fleet, 'box');
    expect(instances).toHaveLength(1);
    const billed = await billedMs(sandboxes.fleet, 'box', memoryMb);
    const { atLeastMs } = watch.of(instances, answeredAt, removedAt);
    const { atMostMs } = watch.of(instances, askedAt);
    console.log(
      `${isolation} sandbox: billed ${billed.toFixed(0)} ms, awake ${atLeastMs.toFixed(0)} to ${atMostMs.toFixed(0)}`,
    );
    expect(atLeastMs).toBeGreaterThan((seconds.awake + seconds.again) * 900);
    expect(billed).toBeGreaterThanOrEqual(0.98 * atLeastMs);
    expect(billed).toBeLessThanOrEqual(atMostMs + 2 * stampMs);
  });

  test('an agent is billed from its first answer to its end, and not while it has no instance', async () => {
    const { agents } = berthOf(sandboxes.fleet, sandboxes.gateway);
    await deployAgent(sandboxes.fleet, 'web', { generation, minScale: 0 });
    const idle = () =>
      expect.poll(async () => (await instancesOf(sandboxes.fleet, 'web')).length, { timeout: 60_000 }).toBe(0);
    await idle();
    const answer = await agents.call('web');
    expect(answer.status).toBe(200);
    await answer.text();
    const answeredAt = performance.now();
    await sleep(2_000);
    await idle();
    await agents.delete('web');
    const instances = await meteredInstances(sandboxes.fleet, 'web');
    const billed = await billedMs(sandboxes.fleet, 'web', 128);
    const { atMostMs } = watch.of(instances);
    const { atLeastMs } = watch.of(instances, answeredAt);
    console.log(
      `${isolation} agent: billed ${billed.toFixed(0)} ms, answered for ${atLeastMs.toFixed(0)} and ran for ${atMostMs.toFixed(0)}`,
    );
    expect(atLeastMs).toBeGreaterThan(0);
    expect(billed).toBeGreaterThanOrEqual(0.98 * atLeastMs);
    expect(billed).toBeLessThanOrEqual(atMostMs + stampMs * instances.length);
  });

  test('each task of a job is billed for the time of its process', async () => {
    const client = clientOf(sandboxes.fleet);
    const image = await importScriptImage(sandboxes.machine.dockerUrl, 'berth-metered', 'sleep 2');
    await makeJob(client, 'tasks', { image, script: '', generation, maxConcurrentTasks: 2 });
    const id = await startExecution(client, 'tasks', { tasks: Array.from({ length: tasks }, () => ({})) });
    expect((await ended(client, 'tasks', id)).status).toBe('succeeded');
    const instances = await meteredInstances(sandboxes.fleet, 'tasks');
    expect(instances).toHaveLength(tasks);
    const billed = await billedMs(sandboxes.fleet, 'tasks', 128);
    const { atLeastMs, atMostMs } = watch.of(instances);
    console.log(
      `${isolation} job: billed ${billed.toFixed(0)} ms, ran ${atLeastMs.toFixed(0)} to ${atMostMs.toFixed(0)}`,
    );
    expect(atLeastMs).toBeGreaterThan(tasks * 1_500);
    expect(billed).toBeGreaterThanOrEqual(0.98 * atLeastMs);
    expect(billed).toBeLessThanOrEqual(atMostMs + stampMs * tasks);
  });
});
