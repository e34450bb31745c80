// Scale from zero and back: instances start with requests and stop without them, and no request is lost at either edge.
import { setTimeout as sleep } from 'node:timers/promises';
import { UnavailableError } from 'berth-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callDocker } from '../../engines/docker-api.ts';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import { buildEchoImage } from '../harness/echo-image.ts';
import { isFull } from '../harness/size.ts';
import { berthOf, deployAgent, instancesOf } from '../harness/workloads.ts';

const idleSeconds = 2;
const holdSeconds = 10;

let fleet: Fleet;
let image: string;

beforeAll(async () => {
  fleet = await startFleet({
    name: 'scale',
    workspaces: ['main'],
    machines: 1,
    gateways: 2,
    settings: {
      BERTH_SCALING_IDLE_SECONDS: String(idleSeconds),
      BERTH_SCALING_MOST_INSTANCES: '20',
      BERTH_GATEWAY_HOLD_SECONDS: String(holdSeconds),
      BERTH_PLACEMENT_START_TIMEOUT_SECONDS: '10',
    },
  });
  image = await buildEchoImage(fleet.machines[0]?.dockerUrl ?? '');
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

const call = (path: string, gateway = 0): Promise<Response> =>
  fetch(`${fleet.gateways[gateway]?.url}/main/agents/${path}`, { headers: { authorization: `Bearer ${fleet.key}` } });

const Containers = z.array(z.object({ Labels: z.record(z.string(), z.string()) }));

/** Number of instances' containers in the engine itself, in any state. */
async function containers(): Promise<number> {
  const { body } = await callDocker(fleet.machines[0]?.dockerUrl ?? '', 'GET /containers/json?all=1');
  return Containers.parse(JSON.parse(body.toString())).filter(({ Labels }) => 'berth.instance' in Labels).length;
}

const deploy = (name: string, runtime: { minScale?: number; maxScale?: number } = {}) =>
  deployAgent(fleet, name, { image, generation: 'mk2', minScale: 0, ...runtime });

const asleep = (name: string) =>
  expect.poll(async () => (await instancesOf(fleet, name)).length, { timeout: 15_000 }).toBe(0);

async function started(name: string): Promise<number> {
  const rows = await fleet.database
    .selectFrom('instances')
    .innerJoin('resources', 'resources.uid', 'instances.resource_uid')
    .select('instances.id')
    .where('resources.name', '=', name)
    .execute();
  return rows.length;
}

test('200 requests at once to an agent without an instance are all answered, by no more instances than they take', async () => {
  const maxScale = isFull ? 20 : 3;
  await deploy('cold', { maxScale });
  await asleep('cold');
  await expect.poll(containers, { timeout: 30_000 }).toBe(0);
  const before = await started('cold');
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => call('cold/x', n % 2)));
  const tookMs = performance.now() - startedAt;
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await Promise.all(answers.map((answer) => answer.text()));
  const count = (await started('cold')) - before;
  console.log(`200 requests from zero: ${tookMs.toFixed(0)} ms, ${count} instances`);
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThanOrEqual(Math.min(maxScale, 20));
  await asleep('cold');
  await expect.poll(containers, { timeout: 30_000 }).toBe(0);
  expect((await berthOf(fleet).agents.get('cold')).status).toBe('DEPLOYED');
});

// In parallel: each test has its own agent and mostly waits.
describe.concurrent('side by side', () => {
  test('requests that come when the last instance is about to go are all answered', async ({ expect }) => {
    await deploy('edge');
    const rounds = isFull ? 40 : 6;
    for (let round = 0; round < rounds; round += 1) {
      const answer = await call('edge/x', round % 2);
      expect([round, answer.status, answer.ok || (await answer.text())]).toEqual([round, 200, true]);
      await answer.text();
      // Calls come around two moments: when the gateways report no more demand, and when the instance is gone.
      await sleep(idleSeconds * (0.9 + 0.5 * ((round % 8) / 8)) * 1_000);
    }
    expect(await started('edge')).toBeGreaterThan(1);
  });

  test('requests under way bring more instances, and what one of them has under way ends well when it goes', async ({
    expect,
  }) => {
    await deploy('busy', { minScale: 1, maxScale: 4 });
    const stream = async (events: number, gateway: number) => {
      const answer = await call(`busy/events?count=${events}&pause=250`, gateway);
      const lines = (await answer.text()).match(/data: /g)?.length;
      expect([answer.status, lines]).toEqual([200, events]);
    };
    // 25 streams, of which five last longer than the instances of the others are needed.
    const streams = Array.from({ length: 25 }, (_, n) => stream(n % 5 === 0 ? 48 : 12, n % 2));
    const running = async () => (await instancesOf(fleet, 'busy')).length;
    await expect.poll(running, { timeout: 15_000 }).toBe(3);
    await expect.poll(running, { timeout: 15_000 }).toBe(1);
    await Promise.all(streams);
    expect(await running()).toBe(1);
  });
});

test('a request to a workload that cannot start is answered with a reason, at once when the failure is known', async () => {
  const [machine] = fleet.machines;
  const failing = expect(deployAgent(fleet, 'broken', { generation: 'mk2', port: 9 })).rejects.toThrow(
    UnavailableError,
  );
  await Promise.all([failing, deploy('stuck').then(() => asleep('stuck'))]);
  await machine?.runner.stop();
  const heldAt = performance.now();
  const answer = await call('stuck/x');
  const heldMs = performance.now() - heldAt;
  expect(answer.status).toBe(503);
  expect(answer.headers.get('x-service-dispatch-state')).toBe('not_dispatched');
  const { error } = z.object({ error: z.record(z.string(), z.unknown()) }).parse(await answer.json());
  expect(error).toMatchObject({ code: 'WORKLOAD_UNAVAILABLE', retryable: true });
  expect(error.message).toContain(`within ${holdSeconds} seconds`);
  const startedAt = performance.now();
  const refused = await call('broken/x');
  expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('failed to start')]);
  expect(performance.now() - startedAt).toBeLessThan(heldMs / 2);
  await machine?.runner.start();
  expect((await call('stuck/x')).status).toBe(200);
});
