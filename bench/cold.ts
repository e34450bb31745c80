// Time from a request to an agent without an instance until its answer, beside the time Docker
// alone needs to start a container.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Fleet, startFleet } from '../engines/fleet/fleet.ts';
import { agent, clientOf, settled } from '../tests/harness/workloads.ts';
import type { Bench } from './bench.ts';
import { openBareDocker } from './support/bare-docker.ts';
import { median, quantile, rounded } from './support/statistics.ts';

export const cold: Bench = {
  name: 'cold',
  about:
    'a request that finds no instance until its answer / bare Docker create, start on a user bridge and probe (runc)',
  async *run({ full }) {
    const rounds = full ? 40 : 10;
    await using fleet = await startFleet({
      name: 'bench-cold',
      workspaces: ['main'],
      machines: 1,
      gateways: 1,
      settings: { BERTH_SCALING_IDLE_SECONDS: '1' },
    });
    const [machine] = fleet.machines;
    if (machine === undefined) throw new Error('the fleet has no machine');
    using docker = await openBareDocker(machine);
    const uid = await deploy(fleet);
    const bare: number[] = [];
    const starts: Start[] = [];
    // The first round is not counted, because connections, plans and caches are created in it.
    for (let round = 0; round <= rounds; round += 1) {
      await untilAsleep(fleet, uid);
      const bareMs = await docker.bringUp();
      // Gives the runner time to refill its slots in the background, as between two starts in production.
      await sleep(700);
      const start = await startCold(fleet, uid);
      if (round === 0) continue;
      bare.push(bareMs);
      starts.push(start);
    }
    const totals = starts.map(({ total }) => total);
    const stage = (key: keyof Start) => rounded(median(starts.map((each) => each[key])));
    yield {
      name: 'bare create + start + probe',
      value: median(bare),
      unit: 'ms',
      detail: { p95: rounded(quantile(bare, 0.95)) },
    };
    yield {
      name: 'request to answer from zero, p50',
      value: median(totals),
      unit: 'ms',
      detail: {
        p95: rounded(quantile(totals, 0.95)),
        ask: stage('ask'),
        handOver: stage('handOver'),
        create: stage('create'),
        start: stage('start'),
        ready: stage('ready'),
        release: stage('release'),
      },
    };
    yield { name: 'from zero / bare', value: median(totals) / median(bare), unit: 'x', bound: { atMost: 1.5 } };
  },
};

async function deploy(fleet: Fleet): Promise<string> {
  const client = clientOf(fleet);
  await client.post('/agents', agent('cold', { generation: 'mk2', minScale: 0 }));
  await settled(client, '/agents/cold', ['DEPLOYED']);
  const found = fleet.database.selectFrom('resources').select('uid').where('name', '=', 'cold');
  return (await found.executeTakeFirstOrThrow()).uid;
}

/** Waits until no instance is left, not even one that is being removed, which would take Docker's time. */
async function untilAsleep({ database }: Fleet, uid: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const live = await database
      .selectFrom('instances')
      .select('id')
      .where('resource_uid', '=', uid)
      .where('ended_at', 'is', null)
      .execute();
    if (live.length === 0) return;
    await sleep(50);
  }
  throw new Error('The agent did not fall asleep.');
}

/** `ask`: until an instance is placed. `release`: from the recorded ready time to the answer. */
type Start = {
  ask: number;
  handOver: number;
  create: number;
  start: number;
  ready: number;
  release: number;
  total: number;
};

const Measured = z.object({ create: z.number(), start: z.number(), ready: z.number() });

/** Client, database and runner share one clock, since they run on one machine. */
async function startCold(fleet: Fleet, uid: string): Promise<Start> {
  const askedAt = Date.now();
  const response = await fetch(`${fleet.gateways[0]?.url}/main/agents/cold/`, {
    headers: { authorization: `Bearer ${fleet.key}` },
  });
  await response.arrayBuffer();
  const answeredAt = Date.now();
  if (response.status !== 200) throw new Error(`The agent answered ${response.status}.`);
  const row = await fleet.database
    .selectFrom('instances')
    .select(['created_at', 'ready_at', 'stages'])
    .where('resource_uid', '=', uid)
    .where('created_at', '>=', new Date(askedAt - 1))
    .executeTakeFirstOrThrow();
  const placedAt = row.created_at.getTime();
  const readyAt = row.ready_at?.getTime() ?? Number.NaN;
  const { create, start, ready } = Measured.parse(row.stages);
  return {
    ask: placedAt - askedAt,
    handOver: readyAt - placedAt - create - start - ready,
    ...{ create, start, ready },
    release: answeredAt - readyAt,
    total: answeredAt - askedAt,
  };
}
