// Where the time of a task goes, from the times in its rows.
import type { Database } from '@berth/database';
import { sql } from 'kysely';
import { median, rounded } from '../support/statistics.ts';

/**
 * Medians in milliseconds. `handOver` is the time from the placement to the end of the task, without the task itself;
 * `settle` ends when the result is part of the task; `remove` comes after it and delays no other task. `tasksPerRun` is the
 * mean number of tasks in a run that places or settles: each run has a fixed cost.
 */
export async function loadStages(database: Database, job: string) {
  const { rows } = await sql<{ handOver: number; run: number; settle: number; remove: number | null }>`
    select extract(epoch from ready_at - instances.created_at)::float8 * 1000 as "handOver",
      extract(epoch from finished_at - ready_at)::float8 * 1000 as run,
      extract(epoch from settled_at - finished_at)::float8 * 1000 as settle,
      extract(epoch from ended_at - settled_at)::float8 * 1000 as remove
    from instances join resources on resources.uid = instances.resource_uid
    where resources.name = ${job} and settled_at is not null`.execute(database);
  const of = (stage: keyof (typeof rows)[number]): number => rounded(median(rows.flatMap((row) => row[stage] ?? [])));
  const stages = { handOver: of('handOver'), run: of('run'), settle: of('settle') };
  const { rows: changed } = await sql<{ tasksPerRun: number }>`
    select (2.0 * task_count / executions.generation)::float8 as "tasksPerRun" from executions
    join resources on resources.uid = executions.job_uid where resources.name = ${job}`.execute(database);
  const tasksPerRun = rounded(changed[0]?.tasksPerRun ?? Number.NaN);
  return { ...stages, tasksPerRun, total: rounded(stages.handOver + stages.run + stages.settle), remove: of('remove') };
}
