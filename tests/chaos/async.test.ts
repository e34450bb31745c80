// Every process of the service is killed while asynchronous calls are accepted and performed. None is lost: each has one final
// state and one callback body, the agent was called at most as often as its trigger allows, and each is billed once.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultBrand, headerNames } from '@berth/contract';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { buildImage } from '../../engines/build-image.ts';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import { Receiver } from '../../services/orchestrator/test/receiver.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { isFull, seed } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { agent, clientOf, instancesOf, settled } from '../harness/workloads.ts';

const calls = isFull ? 500 : 60;
const kills = isFull ? 60 : 6;
const retry = 1;
/** Calls that have not ended, at most: calls are accepted during every kill. */
const open = 20;
/** Ends a wait for something that never converges. */
const convergeMs = isFull ? 1_800_000 : 600_000;
const random = seededRandom(seed);
const image = 'berth-counting:latest';
const { deliveryId } = headerNames(defaultBrand);

let fleet: Fleet;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await Receiver.start();
  fleet = await startFleet({
    name: 'chaos-async',
    workspaces: ['main'],
    machines: 1,
    gateways: 2,
    settings: {
      BERTH_ORCHESTRATOR_CALLBACKS_ALLOWED_RANGES: '[127.0.0.0/8]',
      BERTH_GATEWAY_CALLS_LEASE_SECONDS: '4',
    },
    prepare: ({ dockerUrl }) => buildImage(dockerUrl, image, join(import.meta.dirname, 'async')),
  });
  const { metadata, spec } = agent('worker', { image, generation: 'mk2', maxScale: 1 });
  const trigger = { id: 'hook', type: 'http-async', configuration: { path: 'work', retry, callbackUrl: receiver.url } };
  const client = clientOf(fleet);
  const made = await client.post('/agents', { metadata, spec: { ...spec, triggers: [trigger] } });
  expect(made.status, made.text).toBe(200);
  await settled(client, '/agents/worker');
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

type Target = { readonly name: string; kill(): Promise<void>; start(): Promise<void> };

const targets = (): readonly Target[] => [
  ...fleet.gateways.map(({ process }, at) => ({
    name: `gateway-${at + 1}`,
    kill: () => process.kill(),
    start: () => process.start(),
  })),
  { name: 'api', kill: () => fleet.api.kill(), start: () => fleet.api.start() },
  { name: 'orchestrator', kill: () => fleet.orchestrator.kill(), start: () => fleet.orchestrator.start() },
  ...fleet.machines.map(({ name, runner }) => ({ name, kill: () => runner.kill(), start: () => runner.start() })),
  fleet.postgres,
  ...(isFull ? [fleet.clickhouse] : []),
];

/** Each target gets its turn, in a random order. The number of accepted calls decides when a kill is due, and not the clock. */
async function killInTurn(accepted: () => number): Promise<string[]> {
  const killed: string[] = [];
  let waiting: Target[] = [];
  for (let round = 0; round < kills; round += 1) {
    if (waiting.length === 0) waiting = targets().toSorted(() => random() - 0.5);
    const target = waiting.pop();
    if (target === undefined) throw new Error('nothing to kill');
    const due = ((round + random()) / kills) * calls;
    await until(() => accepted() >= Math.min(due, calls), convergeMs);
    await target.kill();
    await sleep(random() * 500);
    await target.start();
    killed.push(target.name);
  }
  return killed;
}

const endedCount = async (): Promise<number> => {
  const { count } = await fleet.database
    .selectFrom('invocations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('ended_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(count);
};

const openDeliveries = async (): Promise<number> =>
  (await fleet.database.selectFrom('deliveries').select('id').where('delivered_at', 'is', null).execute()).length;

/** Repeats the request until it is accepted, as a client may with an Idempotency-Key. */
async function accept(number: number): Promise<void> {
  const deadline = Date.now() + convergeMs;
  for (let tries = 0; Date.now() < deadline; tries += 1) {
    const { url = '' } = fleet.gateways[(number + tries) % fleet.gateways.length] ?? {};
    const answer = await fetch(`${url}/main/work`, {
      ...{ method: 'POST', body: String(number), signal: AbortSignal.timeout(10_000) },
      headers: { authorization: `Bearer ${fleet.key}`, 'idempotency-key': `call-${number}` },
    }).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(100);
  }
  throw new Error(`seed ${seed}: call ${number} was never accepted`);
}

async function acceptAll(progress: { accepted: number }): Promise<void> {
  for (let number = 1; number <= calls; number += 1) {
    await until(async () => number - (await endedCount().catch(() => 0)) <= open, convergeMs);
    await accept(number);
    progress.accepted = number;
  }
}

const Told = z.object({ invocation_id: z.string(), status_code: z.number() });

/** What was told of each call: its bodies and the ids of their deliveries. */
function toldCalls(): Map<string, { readonly bodies: Set<string>; readonly deliveries: Set<string>; status: number }> {
  const told: ReturnType<typeof toldCalls> = new Map();
  for (const { body, headers } of receiver.calls) {
    const { invocation_id: id, status_code: status } = Told.parse(JSON.parse(body));
    const known = told.get(id) ?? { bodies: new Set(), deliveries: new Set(), status };
    known.bodies.add(body);
    known.deliveries.add(String(headers[deliveryId.toLowerCase()]));
    told.set(id, known);
  }
  return told;
}

/** Empty when each call is accounted for once. */
async function faults(counted: Readonly<Record<string, number>>): Promise<string[]> {
  const rows = await fleet.database.selectFrom('invocations').selectAll().execute();
  const told = toldCalls();
  return [
    ...(rows.length === calls ? [] : [`${rows.length} calls are stored`]),
    ...rows.flatMap(({ id, status, runs, status_code, max_runs }) => {
      const seen = counted[id] ?? 0;
      const callback = told.get(id);
      return [
        ...(seen <= runs && runs <= max_runs
          ? []
          : [`${id}: the agent saw ${seen} runs of ${runs}, of at most ${max_runs}`]),
        ...(status === 'succeeded' && seen === 0 ? [`${id} succeeded without a run`] : []),
        ...(status === 'unknown' && runs < max_runs ? [`${id} is unknown after ${runs} runs`] : []),
        ...(callback?.bodies.size === 1 && callback.deliveries.size === 1 ? [] : [`${id} was not told once`]),
        ...(callback?.status === (status_code ?? 0) ? [] : [`${id}: told ${callback?.status}, stored ${status_code}`]),
      ];
    }),
    ...[...told.keys()].filter((id) => !rows.some((row) => row.id === id)).map((id) => `${id} is told and not stored`),
  ];
}

async function meteredCalls(): Promise<number> {
  const client = createClient({ url: fleet.clickhouse.url });
  try {
    const answer = await client.query({
      query: `select sum(amount) as calls from usage_intervals final where dimension = 'agent_async_requests_count'`,
      format: 'JSONEachRow',
    });
    const [row] = z.array(z.object({ calls: z.coerce.number() })).parse(await answer.json());
    return row?.calls ?? 0;
  } finally {
    await client.close();
  }
}

test(
  `${calls} asynchronous calls are accounted for exactly, through ${kills} kills (seed ${seed})`,
  async () => {
    const progress = { accepted: 0 };
    const [killed] = await Promise.all([killInTurn(() => progress.accepted), acceptAll(progress)]);
    if (kills >= targets().length) expect(new Set(killed)).toEqual(new Set(targets().map(({ name }) => name)));
    await until(async () => (await endedCount()) === calls, convergeMs);
    await until(async () => (await openDeliveries()) === 0, convergeMs);
    const answer = await fetch(`${fleet.gateways[0]?.url}/main/agents/worker/`, {
      headers: { authorization: `Bearer ${fleet.key}` },
    });
    const counted = z.record(z.string(), z.number()).parse(await answer.json());
    // The count is in the memory of one instance, which no kill has ended.
    expect(await instancesOf(fleet, 'worker')).toHaveLength(1);
    expect(await faults(counted), `seed ${seed}`).toEqual([]);
    await until(async () => (await meteredCalls()) === calls, convergeMs);
    const states = await fleet.database
      .selectFrom('invocations')
      .select(({ fn }) => ['status', fn.countAll<number>().as('calls'), fn.sum<number>('runs').as('runs')])
      .groupBy('status')
      .orderBy('status')
      .execute();
    const ends = states.map(({ status, calls: count, runs }) => `${count} ${status} in ${runs} runs`).join(', ');
    console.log(
      `${killed.join(', ')} killed; ${ends}; ${Object.values(counted).reduce((sum, each) => sum + each, 0)} runs in the agent; ` +
        `${receiver.calls.length} requests to the receiver`,
    );
  },
  convergeMs,
);
