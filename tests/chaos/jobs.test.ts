// Every process of the service is killed while tasks run, and Restate loses its data. Each task ends in one final state;
// every container start is one recorded attempt, and every attempt beyond the first has a recorded reason. The engine
// itself is the witness: its events say which container was started how often.
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { JobExecution } from '@berth/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import { ended, finalStatuses, makeJob, startExecution } from '../harness/job-executions.ts';
import { leftovers } from '../harness/leftovers.ts';
import { importScriptImage } from '../harness/script-image.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { isFull, seed } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { clientOf } from '../harness/workloads.ts';
import { type ContainerStarts, countContainerStarts } from './container-starts.ts';

const tasks = isFull ? 2_000 : 60;
const kills = isFull ? 60 : 6;
/** Processes are killed during the first half of the tasks. The last third needs a Restate that has lost its data. */
const tasksUntilLastKill = tasks / 2;
const tasksUntilWipe = (tasks * 2) / 3;
/** Ends a wait for something that never converges. */
const convergeMs = isFull ? 1_800_000 : 600_000;
const random = seededRandom(seed);

let fleet: Fleet;
let containerStarts: ContainerStarts;

beforeAll(async () => {
  fleet = await startFleet({
    name: 'chaos-jobs',
    workspaces: ['main'],
    machines: 1,
    settings: { BERTH_RUNNER_MEMORY_MB: '16384', BERTH_RUNNER_MAX_TASKS: '12' },
  });
  const dockerUrl = fleet.machines[0]?.dockerUrl ?? '';
  const image = await importScriptImage(dockerUrl, 'berth-task', 'eval "$SCRIPT"');
  // Every fifth task fails each time.
  const script = 'sleep 0.1; test $((TASK_INDEX % 5)) -ne 0';
  await makeJob(clientOf(fleet), 'work', {
    ...{ image, script, generation: 'mk2' },
    ...{ maxConcurrentTasks: 8, maxRetries: 1, timeout: 60 },
  });
  containerStarts = countContainerStarts(dockerUrl);
});
afterAll(async () => {
  await containerStarts?.stop();
  await fleet?.[Symbol.asyncDispose]();
});

type Target = { readonly name: string; kill(): Promise<void>; start(): Promise<void> };

const targets = (): readonly Target[] => [
  { name: 'api', kill: () => fleet.api.kill(), start: () => fleet.api.start() },
  { name: 'orchestrator', kill: () => fleet.orchestrator.kill(), start: () => fleet.orchestrator.start() },
  ...fleet.machines.map(({ name, runner }) => ({ name, kill: () => runner.kill(), start: () => runner.start() })),
  fleet.restate,
  fleet.postgres,
  fleet.clickhouse,
];

const start = (count: number) =>
  startExecution(clientOf(fleet), 'work', { tasks: Array.from({ length: count }, (_, n) => ({ n })) });

interface Progress {
  /** Tasks in a final state, at the last read that was answered. */
  ended: number;
  reads: number;
}

/** Reads the execution until it has ended; while a process is away a read may fail. */
async function watch(id: string, progress: Progress): Promise<void> {
  const deadline = Date.now() + convergeMs;
  while (Date.now() < deadline) {
    const answer = await fetch(`${fleet.url}/v0/jobs/work/executions/${id}`, {
      headers: { authorization: `Bearer ${fleet.key}` },
      signal: AbortSignal.timeout(10_000),
    }).catch(() => undefined);
    const body: unknown = answer?.status === 200 ? await answer.json().catch(() => undefined) : undefined;
    if (body !== undefined) {
      const { stats, status } = JobExecution.parse(body);
      if (stats === undefined) throw new Error('the execution has no stats');
      const { success, failure, cancelled, running, total } = stats;
      expect(success + failure + cancelled + running).toBeLessThanOrEqual(total);
      progress.ended = success + failure + cancelled;
      progress.reads += 1;
      if (finalStatuses.includes(status)) return;
    }
    await sleep(200);
  }
  throw new Error(`seed ${seed}: execution ${id} has not ended`);
}

/**
 * Each target gets its turn, in a random order: chance must not leave one out. Progress decides when a
 * kill is due, not the clock, so that tasks run at every kill on slow machines and on fast ones.
 */
async function killInTurn(progress: Progress): Promise<string[]> {
  const killed: string[] = [];
  let waiting: Target[] = [];
  for (let round = 0; round < kills; round += 1) {
    if (waiting.length === 0) waiting = targets().toSorted(() => random() - 0.5);
    const target = waiting.pop();
    if (target === undefined) throw new Error('nothing to kill');
    const tasksUntilKill = ((round + random()) / kills) * tasksUntilLastKill;
    await until(() => progress.ended >= tasksUntilKill, convergeMs);
    await target.kill();
    await sleep(random() * 500);
    await target.start();
    killed.push(target.name);
  }
  return killed;
}

/** Nothing else is started after it, so that the orchestrator has to notice the loss by itself. */
async function wipeRestate(progress: Progress): Promise<void> {
  await until(() => progress.ended >= tasksUntilWipe, convergeMs);
  await fleet.restate.kill();
  await rm(fleet.restate.dataFolder, { recursive: true, force: true });
  await fleet.restate.start();
}

/** Compares tasks, attempts and container starts; empty when each run is accounted for once. */
async function accountingFaults(externalId: string): Promise<string[]> {
  await containerStarts.catchUp();
  const { id } = await fleet.database
    .selectFrom('executions')
    .select('id')
    .where('external_id', '=', externalId)
    .executeTakeFirstOrThrow();
  const rows = await fleet.database.selectFrom('tasks').selectAll().where('execution_id', '=', id).execute();
  const attempts = await fleet.database.selectFrom('instances').selectAll().where('execution_id', '=', id).execute();
  return [
    ...rows.flatMap((task) => {
      const own = attempts.filter(({ task_index }) => task_index === task.index);
      const isFifth = task.index % 5 === 0;
      const right = isFifth ? 'failed' : 'succeeded';
      return [
        ...(task.status === right ? [] : [`task ${task.index} is ${task.status}, not ${right}`]),
        ...(own.length === task.attempt ? [] : [`task ${task.index} has ${own.length} attempts, says ${task.attempt}`]),
        ...(own.length === task.failures + task.losses + (isFifth ? 0 : 1)
          ? []
          : [`task ${task.index}: ${own.length} attempts for ${task.failures} failures and ${task.losses} losses`]),
        ...(task.failures === (isFifth ? 2 : 0) ? [] : [`task ${task.index} failed ${task.failures} times`]),
      ];
    }),
    ...attempts.flatMap((attempt) => {
      const starts = containerStarts.startsOf(attempt.id);
      const hasExited = attempt.result?.reason === 'exited';
      return [
        ...(attempt.settled_at === null ? [`attempt ${attempt.id} is not settled`] : []),
        ...(starts > 1 ? [`attempt ${attempt.id} was started ${starts} times`] : []),
        ...(hasExited && starts !== 1 ? [`attempt ${attempt.id} exited but was started ${starts} times`] : []),
      ];
    }),
  ];
}

test(
  `${tasks} tasks are accounted for exactly, through ${kills} kills and the loss of Restate's data (seed ${seed})`,
  async () => {
    const id = await start(tasks);
    const progress = { ended: 0, reads: 0 };
    const watching = watch(id, progress);
    const killing = killInTurn(progress).then(async (killed) => {
      await wipeRestate(progress);
      return { killed, endedAtWipe: progress.ended };
    });
    const [{ killed, endedAtWipe }] = await Promise.all([killing, watching]);
    const endedAt = performance.now();
    expect(new Set(killed)).toEqual(new Set(targets().map(({ name }) => name)));
    expect(endedAtWipe, `seed ${seed}`).toBeLessThan(tasks);
    const execution = await ended(clientOf(fleet), 'work', id);
    const failing = Math.ceil(tasks / 5);
    expect(execution.status, `seed ${seed}`).toBe('failed');
    expect(execution.stats, `seed ${seed}`).toEqual({
      ...{ total: tasks, success: tasks - failing, failure: failing },
      ...{ retried: failing, cancelled: 0, running: 0 },
    });
    expect(await accountingFaults(id), `seed ${seed}`).toEqual([]);
    // Idle again: nothing runs, is reserved or is left on the machine.
    await expect.poll(() => leftovers(fleet), { timeout: 180_000 }).toEqual([]);
    const idleSeconds = ((performance.now() - endedAt) / 1_000).toFixed(1);
    console.log(
      `${killed.join(', ')} killed; data of Restate lost after ${endedAtWipe} tasks; ${progress.reads} reads; ` +
        `${containerStarts.total()} container starts for ${tasks} tasks; idle ${idleSeconds} s after the last task`,
    );
  },
  convergeMs,
);
