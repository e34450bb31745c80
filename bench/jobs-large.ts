// An execution with very many tasks that end after 5 ms, beside a bare Restate loop with as many sends. Everything is real
// but the runner, whose stand-in runs no containers (services/runner/test/runner-stand-in.ts): the figures are what the
// control plane adds to each task.
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb, defaultBrand, headerNames, versions } from '@berth/contract';
import { z } from 'zod';
import { type Fleet, startFleet } from '../engines/fleet/fleet.ts';
import { freePort } from '../engines/free-port.ts';
import { restate } from '../engines/restate.ts';
import { runFolder } from '../engines/run.ts';
import { removeEngines } from '../engines/sweep.ts';
import { heapSize } from '../tests/harness/heap-size.ts';
import { residentMb } from '../tests/harness/resident-mb.ts';
import type { Bench } from './bench.ts';
import { cpuTimeUs } from './gateway/cpu-time.ts';
import { loadStages } from './jobs-large/stages.ts';
import { startRunnerStandIn } from './jobs-large/start-runner-stand-in.ts';
import { Arrivals, inParallel, serveBare } from './support/bare-restate.ts';
import { median, quantile, rounded, timedMs } from './support/statistics.ts';

const parallelism = 200;
const memoryMb = 128;
const sendsAtATime = 32;
const pollMs = 100;
const heldTenths = [1, 9];

export const jobsLarge: Bench = {
  name: 'jobs-large',
  about: 'tasks of one large execution, with a stand-in for the runner / as many sends of bare Restate',
  async *run({ full }) {
    const count = full ? 100_000 : 5_000;
    // Half before and half after, because the machine may be faster at one of the times.
    const before = await bareSeconds(count / 2);
    yield { name: 'bare sends', value: count / 2 / before, unit: 'per second' };
    const { seconds, reads, residentMib, heldMib, stages, cpu, startMs } = await measureExecution(count);
    yield {
      name: 'stages of a task, median',
      value: stages.total,
      unit: 'ms',
      detail: { ...stages, startOfExecution: rounded(startMs) },
    };
    yield { name: 'tasks', value: count / seconds, unit: 'per second', detail: { seconds: rounded(seconds) } };
    const cpuMs = Object.values(cpu).reduce((sum, ms) => sum + ms, 0);
    yield { name: 'CPU of a task', value: cpuMs, unit: 'ms', detail: cpu };
    for (const [name, times] of Object.entries(reads))
      yield {
        name: `${name} meanwhile, p50`,
        value: median(times),
        unit: 'ms',
        bound: { atMost: 50 },
        detail: { p95: rounded(quantile(times, 0.95)), reads: times.length },
      };
    const growth = (mb: ReadonlyMap<number, number>) => ({
      value: (mb.get(9) ?? Number.NaN) - (mb.get(1) ?? Number.NaN),
      unit: 'MiB' as const,
      detail: Object.fromEntries([...mb].map(([tenth, held]) => [`at${tenth * 10}`, Math.round(held)])),
    });
    // Resident memory rises and falls with the collector. What is left after a collection shows whether tasks stay.
    yield { name: 'resident memory of the orchestrator from 10 % to 90 %', ...growth(residentMib) };
    yield { name: 'memory that it holds, from 10 % to 90 %', ...growth(heldMib), bound: { atMost: 60 } };
    const after = await bareSeconds(count / 2);
    const [perSecond, barePerSecond] = [count / seconds, count / (before + after)];
    yield {
      name: `${count} tasks per second / bare sends`,
      value: perSecond / barePerSecond,
      unit: 'x',
      bound: { atLeast: 0.3 },
      detail: { perSecond: rounded(perSecond), barePerSecond: rounded(barePerSecond) },
    };
  },
};

async function bareSeconds(count: number): Promise<number> {
  const folder = await runFolder('jobs-large');
  await using made = new AsyncDisposableStack();
  made.defer(() => removeEngines(folder));
  const engine = await restate.start({ dataFolder: `${folder}/${restate.name}` });
  const arrivals = new Arrivals();
  const bare = await serveBare(engine, arrivals);
  made.defer(() => bare.stop());
  const sendAll = (turn: string, sends: number) =>
    timedMs(() =>
      Promise.all([arrivals.expect(sends), inParallel(sends, sendsAtATime, (index) => bare.send(`${turn}-${index}`))]),
    );
  await sendAll('warm', 200);
  return (await sendAll('measured', count)) / 1_000;
}

interface Measured {
  readonly seconds: number;
  /** Time in which the api stored the execution and its tasks. */
  readonly startMs: number;
  /** Milliseconds of each read while tasks ran. */
  readonly reads: Readonly<Record<'execution' | 'first tasks', readonly number[]>>;
  /** MiB of the orchestrator after each tenth of the tasks. */
  readonly residentMib: ReadonlyMap<number, number>;
  /** The same after a full collection, which is made after the first and the ninth tenth. */
  readonly heldMib: ReadonlyMap<number, number>;
  readonly stages: Readonly<Record<string, number>> & { readonly total: number };
  /** Milliseconds of each process, divided by the tasks. */
  readonly cpu: Readonly<Record<string, number>>;
}

async function measureExecution(count: number): Promise<Measured> {
  const inspectorPort = await freePort();
  await using fleet = await startFleet({
    name: 'bench-jobs-large',
    workspaces: ['main'],
    machines: 0,
    // A process opens this port when it gets SIGUSR1.
    settings: { BERTH_PLACEMENT_RUNC_FOR: 'everything', NODE_OPTIONS: `--inspect-port=127.0.0.1:${inspectorPort}` },
  });
  process.kill(fleet.orchestrator.pid, 'SIGUSR1');
  const heldMib = async () => (await heapSize(inspectorPort)) / bytesPerMb;
  await using standIn = await startRunnerStandIn({
    apiUrl: `https://127.0.0.1:${fleet.nodePort}`,
    joinToken: await fleet.createJoinToken(),
    memoryMb: memoryMb * parallelism * 2,
    maxTasks: parallelism,
    taskMs: 5,
  });
  const runtime = { image: 'example/job:1', memory: memoryMb, maxConcurrentTasks: parallelism };
  for (const name of ['warm', 'large']) await call(fleet, 'POST', '/jobs', { metadata: { name }, spec: { runtime } });
  // Once before it is measured: connections, plans and caches are created then.
  await execute(fleet, 'warm', parallelism * 2, heldMib);
  const cpuMs = () => cpuMsOf(fleet, standIn.pid);
  const before = cpuMs();
  const startedAt = performance.now();
  const watched = await execute(fleet, 'large', count, heldMib);
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = Object.entries(cpuMs()).map(([name, ms]) => [name, rounded((ms - (before[name] ?? 0)) / count)] as const);
  return { seconds, ...watched, cpu: Object.fromEntries(cpu), stages: await loadStages(fleet.database, 'large') };
}

function cpuMsOf({ api, orchestrator, restate: engine, postgres }: Fleet, standIn: number): Record<string, number> {
  const ms = (pid: number): number => cpuTimeUs([pid]) / 1_000;
  return {
    api: ms(api.pid),
    orchestrator: ms(orchestrator.pid),
    restate: ms(engine.pid()),
    postgres: ms(postgres.pid()),
    standIn: ms(standIn),
  };
}

const Started = z.object({ executionId: z.string() });
const Execution = z.object({ status: z.string(), stats: z.object({ success: z.number() }) });

/** Resolves once every task has succeeded. */
async function execute(
  fleet: Fleet,
  job: string,
  count: number,
  readHeldMib: () => Promise<number>,
): Promise<Pick<Measured, 'startMs' | 'reads' | 'residentMib' | 'heldMib'>> {
  const tasks = Array.from({ length: count }, (_, index) => ({ index }));
  const startedAt = performance.now();
  const { executionId } = Started.parse(JSON.parse(await call(fleet, 'POST', `/jobs/${job}/executions`, { tasks })));
  const startMs = performance.now() - startedAt;
  const path = `/jobs/${job}/executions/${executionId}`;
  const executionReads: number[] = [];
  const pageReads: number[] = [];
  const residentMib = new Map<number, number>();
  const heldMib = new Map<number, number>();
  for (;;) {
    const readAt = performance.now();
    const shown = await call(fleet, 'GET', path);
    executionReads.push(performance.now() - readAt);
    pageReads.push(await timedMs(() => call(fleet, 'GET', `${path}/tasks?limit=50`)));
    const { status, stats } = Execution.parse(JSON.parse(shown));
    const tenth = Math.floor((10 * stats.success) / count);
    if (!residentMib.has(tenth)) residentMib.set(tenth, await residentMb(fleet.orchestrator.pid));
    if (heldTenths.includes(tenth) && !heldMib.has(tenth)) heldMib.set(tenth, await readHeldMib());
    if (status === 'succeeded' && stats.success === count)
      return { startMs, reads: { execution: executionReads, 'first tasks': pageReads }, residentMib, heldMib };
    if (['failed', 'timeout', 'cancelled'].includes(status)) throw new Error(`the execution of ${job} is ${status}`);
    await sleep(pollMs);
  }
}

const names = headerNames(defaultBrand);

/** Returns the text of the answer: only the api is measured, not the reader. */
async function call({ url, key }: Fleet, method: string, path: string, body?: object): Promise<string> {
  const response = await fetch(`${url}/v0${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      [names.workspace]: 'main',
      // Lists have pages from this version on.
      [names.version]: versions.at(-1)?.name ?? '',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text;
}
