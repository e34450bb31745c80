// Time from the write to DEPLOYED, beside Docker alone: create, start on a user bridge, first accepted connection.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Fleet, startFleet } from '../engines/fleet/fleet.ts';
import type { Bench } from './bench.ts';
import { openBareDocker, tinyImage, tinyPort } from './support/bare-docker.ts';
import { callApi } from './support/call-api.ts';
import { median, quantile, rounded, timedMs } from './support/statistics.ts';

export const deploy: Bench = {
  name: 'deploy',
  about: 'POST or PUT until DEPLOYED with a cached image / bare Docker create, start on a user bridge and probe (runc)',
  async *run({ full }) {
    const rounds = full ? 40 : 10;
    await using fleet = await startFleet({ name: 'bench-deploy', workspaces: ['main'], machines: 1 });
    const [machine] = fleet.machines;
    if (machine === undefined) throw new Error('the fleet has no machine');
    using docker = await openBareDocker(machine);
    const bare: number[] = [];
    const created: number[] = [];
    const changed: number[] = [];
    const stages: Stages[] = [];
    // The first round is not counted, because connections, plans and caches are created in it.
    for (let round = 0; round <= rounds; round += 1) {
      const name = `bench-${round}`;
      const bareMs = await docker.bringUp();
      const createMs = await timedMs(() => deployAgent(fleet, 'POST', name, 'first'));
      // Gives the runner time to refill its slots in the background, as between two deployments in production.
      await sleep(500);
      const changeMs = await timedMs(() => deployAgent(fleet, 'PUT', name, 'second'));
      const found = await stagesOf(fleet, name);
      await callApi(fleet, 'DELETE', `/agents/${name}`);
      await sleep(700);
      if (round === 0) continue;
      bare.push(bareMs);
      created.push(createMs);
      changed.push(changeMs);
      stages.push(...found);
    }
    const stage = (key: keyof Stages) => rounded(median(stages.map((each) => each[key])));
    const detail = {
      bareP50: rounded(median(bare)),
      bareP95: rounded(quantile(bare, 0.95)),
      queue: stage('queue'),
      handOver: stage('handOver'),
      create: stage('create'),
      start: stage('start'),
      ready: stage('ready'),
      report: stage('report'),
    };
    yield { name: 'bare create + start + probe', value: median(bare), unit: 'ms' };
    yield {
      name: 'POST to DEPLOYED, p50',
      value: median(created),
      unit: 'ms',
      detail: { p95: rounded(quantile(created, 0.95)) },
    };
    yield {
      name: 'PUT to DEPLOYED, p50',
      value: median(changed),
      unit: 'ms',
      detail: { p95: rounded(quantile(changed, 0.95)) },
    };
    yield { name: 'POST / bare', value: median(created) / median(bare), unit: 'x', bound: { atMost: 1.5 }, detail };
    yield { name: 'PUT / bare', value: median(changed) / median(bare), unit: 'x', bound: { atMost: 1.5 } };
  },
};

const AgentStatus = z.object({ status: z.string(), events: z.array(z.object({ message: z.string().optional() })) });

async function deployAgent(fleet: Fleet, method: 'POST' | 'PUT', name: string, word: string): Promise<void> {
  const envs = [
    { name: 'PORT', value: String(tinyPort) },
    { name: 'WORD', value: word },
  ];
  const body = { metadata: { name }, spec: { runtime: { image: tinyImage, generation: 'mk2', memory: 128, envs } } };
  await callApi(fleet, method, method === 'POST' ? '/agents' : `/agents/${name}`, body);
  for (let attempt = 0; attempt < 6_000; attempt += 1) {
    const { status, events } = AgentStatus.parse(await callApi(fleet, 'GET', `/agents/${name}`));
    if (status === 'DEPLOYED') return;
    if (status === 'FAILED') throw new Error(`${name} failed: ${events.at(-1)?.message}`);
    await sleep(5);
  }
  throw new Error(`${name} was not deployed in time`);
}

/** `handOver` is the time between placement and the recorded ready time, minus the stages that the runner measured. */
type Stages = { queue: number; handOver: number; create: number; start: number; ready: number; report: number };

/** Times are of the database's clock, except the stages that the runner measured. */
async function stagesOf({ database }: Fleet, name: string): Promise<Stages[]> {
  const rows = await database
    .selectFrom('instances')
    .innerJoin('resources', 'resources.uid', 'instances.resource_uid')
    .innerJoin('revisions', (join) =>
      join.onRef('revisions.resource_uid', '=', 'resources.uid').onRef('revisions.id', '=', 'instances.revision'),
    )
    .innerJoin('resource_events', (join) =>
      join
        .onRef('resource_events.resource_uid', '=', 'resources.uid')
        .onRef('resource_events.revision', '=', 'instances.revision')
        .on('resource_events.status', '=', 'DEPLOYED'),
    )
    .select([
      'revisions.created_at as written',
      'instances.created_at as placed',
      'instances.ready_at as ready',
      'instances.stages',
      'resource_events.time as deployed',
    ])
    .where('resources.name', '=', name)
    .execute();
  const Measured = z.object({ create: z.number(), start: z.number(), ready: z.number() });
  return rows.map(({ written, placed, ready, stages, deployed }) => {
    const measured = Measured.parse(stages);
    const readyAt = ready?.getTime() ?? Number.NaN;
    return {
      ...measured,
      queue: placed.getTime() - written.getTime(),
      handOver: readyAt - placed.getTime() - measured.create - measured.start - measured.ready,
      report: deployed.getTime() - readyAt,
    };
  });
}
