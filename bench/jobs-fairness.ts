// A few tasks of one workspace, and sandboxes that are created, on a machine that another workspace has filled with tasks.
// All tasks sleep for the same time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { IsolationClass } from '@berth/contract/node';
import { z } from 'zod';
import { SandboxMachine } from '../tests/harness/sandbox-machine.ts';
import { importScriptImage } from '../tests/harness/script-image.ts';
import type { Bench, Measure } from './bench.ts';
import { busyShare } from './gateway/cpu-time.ts';
import { callApi } from './support/call-api.ts';
import { median, quantile, rounded, timedMs } from './support/statistics.ts';

const sizes = {
  full: { many: 1_000, few: 10, creates: 20 },
  quick: { many: 60, few: 5, creates: 5 },
};
type Size = (typeof sizes)['full'];

/** Long beside the start of a container, and short enough that places become free all the time. */
const taskSeconds = 5;
const memoryMb = 128;
const pollMs = 50;
const atMost = 3;
const generations = { runc: 'mk2', gvisor: 'mk3' } as const satisfies Record<IsolationClass, string>;

export const jobsFairness: Bench = {
  name: 'jobs-fairness',
  about:
    'a few tasks, and creates of sandboxes, beside a workspace that has filled the machine with tasks / the same alone',
  async *run({ full, isolations }) {
    // Other load on the machine slows both sides differently: with much of it the ratios mean little.
    yield { name: 'share of the machine that was busy before', value: await busyShare(2_000), unit: 'x' };
    for (const isolation of isolations) yield* measure(isolation, full ? sizes.full : sizes.quick);
  },
};

async function* measure(isolation: IsolationClass, size: Size): AsyncGenerator<Measure> {
  // The few tasks fit into half of the places: that is the share of their workspace.
  const places = size.few * 2;
  await using sandboxes = await SandboxMachine.start({
    name: `fairness-${isolation}`,
    isolation,
    pool: 0,
    workspaces: ['main', 'many', 'few'],
    settings: { BERTH_RUNNER_MAX_TASKS: String(places) },
  });
  const image = await importScriptImage(sandboxes.machine.dockerUrl, 'berth-sleep', `sleep ${taskSeconds}`);
  const runtime = { image, memory: memoryMb, generation: generations[isolation], maxConcurrentTasks: places };
  for (const workspace of ['many', 'few'])
    await callApi(sandboxes.fleet, 'POST', `/jobs?workspace=${workspace}`, {
      metadata: { name: workspace },
      spec: { runtime },
    });
  const runFew = async () => until(await start(sandboxes, 'few', size.few), ({ status }) => status === 'succeeded');
  const create = createsOf(sandboxes);
  // Both once before they are measured: connections, plans and caches are created then.
  await Promise.all([runFew(), create(1)]);

  const quiet = await create(size.creates);
  const aloneMs = await timedMs(runFew);
  yield { name: `${isolation}: ${size.few} tasks alone`, value: aloneMs / 1_000, unit: 's' };
  const many = await start(sandboxes, 'many', size.many);
  await until(many, ({ stats }) => stats.running === places);
  const besideMs = await timedMs(runFew);
  yield { name: `${isolation}: ${size.few} tasks beside ${size.many}`, value: besideMs / 1_000, unit: 's' };
  yield { name: `${isolation}: tasks beside / alone`, value: besideMs / aloneMs, unit: 'x', bound: { atMost } };
  const beside = await create(size.creates);
  const { stats } = await many.read();
  await many.cancel();
  if (waiting(stats) === 0) throw new Error(`All ${size.many} tasks had started before the end of the measurement.`);

  yield {
    name: `${isolation}: create of a sandbox alone, p50`,
    value: median(quiet),
    unit: 'ms',
    detail: spread(quiet),
  };
  yield {
    name: `${isolation}: create of a sandbox beside ${size.many} tasks, p50`,
    value: median(beside),
    unit: 'ms',
    detail: { ...spread(beside), waiting: waiting(stats) },
  };
  yield {
    name: `${isolation}: create beside / alone`,
    value: median(beside) / median(quiet),
    unit: 'x',
    bound: { atMost },
  };
}

const spread = (values: readonly number[]) => ({ p95: rounded(quantile(values, 0.95)), creates: values.length });

/** Returns a function that creates sandboxes one after the other, removes each, and returns the times of the creates. */
function createsOf(sandboxes: SandboxMachine): (count: number) => Promise<number[]> {
  let made = 0;
  return async (count) => {
    const times: number[] = [];
    for (let at = 0; at < count; at += 1) {
      made += 1;
      const wish = { name: `fair-${made}`, workspace: 'main', memoryMb: 512, envs: 0 };
      times.push(await timedMs(() => sandboxes.create(wish)));
      await sandboxes.remove(wish);
    }
    return times;
  };
}

const Started = z.object({ executionId: z.string() });
const Execution = z.object({
  status: z.string(),
  stats: z.object({
    total: z.number(),
    running: z.number(),
    success: z.number(),
    failure: z.number(),
    cancelled: z.number(),
  }),
});
type Execution = z.infer<typeof Execution>;

interface Running {
  read(): Promise<Execution>;
  cancel(): Promise<unknown>;
}

const waiting = ({ total, running, success, failure, cancelled }: Execution['stats']): number =>
  total - running - success - failure - cancelled;

/** Starts an execution of the job that has the name of its workspace. */
async function start({ fleet }: SandboxMachine, workspace: string, count: number): Promise<Running> {
  const path = `/jobs/${workspace}/executions`;
  const tasks = Array.from({ length: count }, () => ({}));
  const answer = await callApi(fleet, 'POST', `${path}?workspace=${workspace}`, { tasks });
  const own = `${path}/${Started.parse(answer).executionId}?workspace=${workspace}`;
  return {
    read: async () => Execution.parse(await callApi(fleet, 'GET', own)),
    cancel: () => callApi(fleet, 'DELETE', own),
  };
}

async function until(execution: Running, isReached: (read: Execution) => boolean): Promise<void> {
  for (;;) {
    const read = await execution.read();
    if (isReached(read)) return;
    if (!['queued', 'pending', 'running'].includes(read.status))
      throw new Error(`The execution has ended: ${JSON.stringify(read)}`);
    await sleep(pollMs);
  }
}
