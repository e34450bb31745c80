// What an account is billed for, beside what the engine and the kernel say ran: a sandbox that sleeps, an agent that scales
// from zero and back, and the tasks of a job, on a real deployment.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ended, makeJob, startExecution } from '../harness/job-executions.ts';
import { SandboxMachine } from '../harness/sandbox-machine.ts';
import { importScriptImage } from '../harness/script-image.ts';
import { isFull } from '../harness/size.ts';
import { agent, clientOf, instancesOf, isolationsOf, settled } from '../harness/workloads.ts';
import { AwakeWatch } from './usage/awake-watch.ts';

const seconds = isFull ? { pool: 10, awake: 30, asleep: 30, again: 10 } : { pool: 4, awake: 6, asleep: 5, again: 3 };
const tasks = isFull ? 20 : 6;
const gbOf = (memoryMb: number): number => memoryMb / 1_024;
/** The edges of an interval are stamped this long after what the kernel sees, at most. */
const stampMs = 60;

describe.each(isolationsOf('gvisor'))('on $isolation', ({ isolation, generation }) => {
  let sandboxes: SandboxMachine;
  let watch: AwakeWatch;
  let accountId: string;
  beforeAll(async () => {
    sandboxes = await SandboxMachine.start({
      ...{ name: `usage-${isolation}`, isolation, pool: 1 },
      settings: { BERTH_SCALING_IDLE_SECONDS: '2' },
    });
    watch = new AwakeWatch(sandboxes.machine.dockerUrl);
    const { body } = await clientOf(sandboxes.fleet).get('/accounts');
    accountId = body[0].id;
  }, 300_000);
  afterAll(async () => {
    await watch?.[Symbol.asyncDispose]();
    await sandboxes?.[Symbol.asyncDispose]();
  }, 120_000);

  /** Milliseconds that a resource with this memory was billed for. */
  async function billedMs(name: string, memoryMb: number): Promise<number> {
    const now = Date.now();
    const window = `startTime=${new Date(now - 3_600_000).toISOString()}&endTime=${new Date(now + 3_600_000).toISOString()}`;
    const path = `/accounts/${accountId}/metrics?${window}&groupBy=billing_dimension&resourceName=${name}`;
    const { status, body, text } = await clientOf(sandboxes.fleet).get(path);
    expect([status, status === 200 || text]).toEqual([200, true]);
    return ((body.summary.totalUsage ?? 0) / gbOf(memoryMb)) * 1_000;
  }

  /** All instances that the resource ever had, once their runner has sent everything that it metered. */
  async function meteredInstances(name: string): Promise<string[]> {
    const read = async () => {
      const { rows } = await sql<{ id: string; isMetered: boolean }>`
        select id, metered_at is not null as "isMetered" from instances
        where spec #>> '{resource,name}' = ${name}`.execute(sandboxes.fleet.database);
      return rows;
    };
    await expect
      .poll(async () => (await read()).filter(({ isMetered }) => !isMetered), { timeout: 60_000 })
      .toEqual([]);
    return (await read()).map(({ id }) => id);
  }

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
    const instances = await meteredInstances('box');
    expect(instances).toHaveLength(1);
    const billed = await billedMs('box', memoryMb);
    const { atLeastMs } = watch.of(instances, answeredAt, removedAt);
    const { atMostMs } = watch.of(instances, askedAt);
    console.log(
      `${isolation} sandbox: billed ${billed.toFixed(0)} ms, awake ${atLeastMs.toFixed(0)} to ${atMostMs.toFixed(0)}`,
    );
    expect(atLeastMs).toBeGreaterThan((seconds.awake + seconds.again) * 900);
    expect(billed).toBeGreaterThanOrEqual(0.98 * atLeastMs);
    expect(billed).toBeLessThanOrEqual(atMostMs + 2 * stampMs);
  }, 240_000);

  test('an agent is billed from its first answer to its end, and not while it has no instance', async () => {
    const client = clientOf(sandboxes.fleet);
    await client.post('/agents', agent('web', { generation, minScale: 0 }));
    await settled(client, '/agents/web', ['DEPLOYED']);
    const idle = () =>
      expect.poll(async () => (await instancesOf(sandboxes.fleet, 'web')).length, { timeout: 60_000 }).toBe(0);
    await idle();
    const answer = await fetch(`${sandboxes.gateway}/main/agents/web/`, {
      headers: { authorization: `Bearer ${sandboxes.fleet.key}` },
    });
    expect(answer.status).toBe(200);
    await answer.text();
    const answeredAt = performance.now();
    await sleep(2_000);
    await idle();
    await client.delete('/agents/web');
    const instances = await meteredInstances('web');
    const billed = await billedMs('web', 128);
    const { atMostMs } = watch.of(instances);
    const { atLeastMs } = watch.of(instances, answeredAt);
    console.log(
      `${isolation} agent: billed ${billed.toFixed(0)} ms, answered for ${atLeastMs.toFixed(0)} and ran for ${atMostMs.toFixed(0)}`,
    );
    expect(atLeastMs).toBeGreaterThan(0);
    expect(billed).toBeGreaterThanOrEqual(0.98 * atLeastMs);
    expect(billed).toBeLessThanOrEqual(atMostMs + stampMs * instances.length);
  }, 240_000);

  test('each task of a job is billed for the time of its process', async () => {
    const client = clientOf(sandboxes.fleet);
    const image = await importScriptImage(sandboxes.machine.dockerUrl, 'berth-metered', 'sleep 2');
    await makeJob(client, 'tasks', { image, script: '', generation, maxConcurrentTasks: 2 });
    const id = await startExecution(client, 'tasks', { tasks: Array.from({ length: tasks }, () => ({})) });
    expect((await ended(client, 'tasks', id)).status).toBe('succeeded');
    const instances = await meteredInstances('tasks');
    expect(instances).toHaveLength(tasks);
    const billed = await billedMs('tasks', 128);
    const { atLeastMs, atMostMs } = watch.of(instances);
    console.log(
      `${isolation} job: billed ${billed.toFixed(0)} ms, ran ${atLeastMs.toFixed(0)} to ${atMostMs.toFixed(0)}`,
    );
    expect(atLeastMs).toBeGreaterThan(tasks * 1_500);
    expect(billed).toBeGreaterThanOrEqual(0.98 * atLeastMs);
    expect(billed).toBeLessThanOrEqual(atMostMs + stampMs * tasks);
  }, 240_000);
});
