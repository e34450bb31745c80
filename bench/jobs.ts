// Tasks of a job that do nothing, eight at a time, beside the same containers made by the Docker API alone: create, start
// on a user bridge, wait, remove. The first figure is the whole cost of a task; the stages say where it goes.
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb, type IsolationClass } from '@berth/contract/node';
import { sql } from 'kysely';
import { z } from 'zod';
import { callDocker } from '../engines/docker-api.ts';
import { type Fleet, startFleet } from '../engines/fleet/fleet.ts';
import type { Machine } from '../engines/fleet/machine.ts';
import { importScriptImage } from '../tests/harness/script-image.ts';
import type { Bench, Measure } from './bench.ts';
import { callApi } from './support/call-api.ts';
import { median, rounded, timedMs } from './support/statistics.ts';

const parallelism = 8;
const memoryMb = 128;
const bareNetwork = 'bare';
const bounds = { runc: 1.15, gvisor: 1.3 } as const satisfies Record<IsolationClass, number>;
const generations = { runc: 'mk2', gvisor: 'mk3' } as const satisfies Record<IsolationClass, string>;
const runtimes = { runc: 'runc', gvisor: 'runsc' } as const satisfies Record<IsolationClass, string>;

export const jobs: Bench = {
  name: 'jobs',
  about: 'tasks that end at once, eight at a time / bare Docker create, start, wait and remove',
  async *run({ full, isolations }) {
    const count = full ? 200 : 60;
    await using fleet = await startFleet({
      name: 'bench-jobs',
      workspaces: ['main'],
      machines: 1,
      settings: { BERTH_RUNNER_MAX_TASKS: String(parallelism * 2) },
    });
    const [machine] = fleet.machines;
    if (machine === undefined) throw new Error('the fleet has no machine');
    // Removed with the engine: right after the last container the engine may still count its endpoint as active.
    await callDocker(machine.dockerUrl, 'POST /networks/create', { json: { Name: bareNetwork, Driver: 'bridge' } });
    const image = await importScriptImage(machine.dockerUrl, 'berth-true', 'exit 0');
    for (const isolation of isolations) yield* measure(fleet, machine, { isolation, image, count });
  },
};

interface Load {
  readonly isolation: IsolationClass;
  /** Its command ends at once. */
  readonly image: string;
  readonly count: number;
}

async function* measure(fleet: Fleet, machine: Machine, load: Load): AsyncGenerator<Measure> {
  const { isolation, image, count } = load;
  const job = `bench-${isolation}`;
  const runtime = { image, memory: memoryMb, maxConcurrentTasks: parallelism };
  await callApi(fleet, 'POST', '/jobs', {
    metadata: { name: job },
    spec: { runtime: { ...runtime, generation: generations[isolation] } },
  });
  // Both once before they are measured: connections, plans and caches are created then.
  await runBare(machine, { ...load, count: parallelism });
  await execute(fleet, job, parallelism);
  const bareMs = await timedMs(() => runBare(machine, load));
  const oursMs = await timedMs(() => execute(fleet, job, count));
  yield { name: `${isolation}: bare tasks`, value: (count / bareMs) * 1_000, unit: 'per second' };
  yield { name: `${isolation}: tasks of a job`, value: (count / oursMs) * 1_000, unit: 'per second' };
  yield {
    name: `${isolation}: ${count} tasks / bare`,
    value: oursMs / bareMs,
    unit: 'x',
    bound: { atMost: bounds[isolation] },
    detail: await stagesOf(fleet, job),
  };
}

const Started = z.object({ executionId: z.string() });
const Execution = z.object({ status: z.string(), stats: z.object({ success: z.number() }) });

/** Resolves once every task has succeeded. */
async function execute(fleet: Fleet, job: string, count: number): Promise<void> {
  const tasks = Array.from({ length: count }, () => ({}));
  const { executionId } = Started.parse(await callApi(fleet, 'POST', `/jobs/${job}/executions`, { tasks }));
  for (let attempt = 0; attempt < 12_000; attempt += 1) {
    const { status, stats } = Execution.parse(await callApi(fleet, 'GET', `/jobs/${job}/executions/${executionId}`));
    if (status === 'succeeded' && stats.success === count) return;
    if (status === 'failed') throw new Error(`the execution of ${job} failed`);
    await sleep(20);
  }
  throw new Error(`the execution of ${job} did not end in time`);
}

const Created = z.object({ Id: z.string() });

async function runBare({ dockerUrl }: Machine, { isolation, image, count }: Load): Promise<void> {
  const json = {
    Image: image,
    HostConfig: { NetworkMode: bareNetwork, Memory: memoryMb * bytesPerMb, Runtime: runtimes[isolation] },
  };
  let left = count;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { body } = await callDocker(dockerUrl, 'POST /containers/create', { json });
      const { Id } = Created.parse(JSON.parse(body.toString()));
      await callDocker(dockerUrl, `POST /containers/${Id}/start`);
      await callDocker(dockerUrl, `POST /containers/${Id}/wait`);
      await callDocker(dockerUrl, `DELETE /containers/${Id}`);
    }
  };
  await Promise.all(Array.from({ length: parallelism }, lane));
}

const Stage = z.object({ create: z.number(), start: z.number() });

/**
 * Median of each stage in milliseconds. `handOver` is the time between the placement and the start of the process that
 * the runner did not spend on it; `settle` ends when the result is part of the task.
 */
async function stagesOf({ database }: Fleet, job: string): Promise<Record<string, number>> {
  const between = (from: string, to: string) =>
    sql<number>`extract(epoch from ${sql.ref(to)} - ${sql.ref(from)})::float8 * 1000`;
  const rows = await database
    .selectFrom('instances')
    .innerJoin('resources', 'resources.uid', 'instances.resource_uid')
    .select([
      'stages',
      between('instances.created_at', 'ready_at').as('bringUp'),
      between('ready_at', 'finished_at').as('run'),
      between('finished_at', 'settled_at').as('settle'),
      between('settled_at', 'ended_at').as('remove'),
    ])
    .where('resources.name', '=', job)
    .where('ended_at', 'is not', null)
    .execute();
  const measured = rows.map(({ stages, bringUp, ...others }) => {
    const { create, start } = Stage.parse(stages);
    return { handOver: bringUp - create - start, create, start, ...others };
  });
  const of = (stage: keyof (typeof measured)[number]) => rounded(median(measured.map((each) => each[stage])));
  return {
    handOver: of('handOver'),
    create: of('create'),
    start: of('start'),
    run: of('run'),
    settle: of('settle'),
    remove: of('remove'),
  };
}
