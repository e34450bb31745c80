// Renders a stored execution for clients. Specification: Job execution.
import { FixedSpec } from '@berth/jobs';
import { mask } from '../../resources/secrets.ts';
import { durationText } from './duration-text.ts';
import { progressOf } from './progress.ts';
import type { ExecutionRow, TaskRow } from './record.ts';
import { taskCondition } from './task-condition.ts';

interface ExecutionView {
  readonly job: string;
  readonly workspace: string;
  /** Days for which a finished execution stays readable. */
  readonly retentionDays: number;
  /** Time of the answer. */
  readonly now: number;
}

export function renderExecution(
  row: ExecutionRow,
  { job, workspace, retentionDays, now }: ExecutionView,
  taskRows?: readonly TaskRow[],
) {
  const fixed = FixedSpec.parse(row.spec);
  const tasks = taskRows?.map((task) => renderTask(task, fixed));
  return {
    metadata: {
      id: row.external_id,
      job,
      workspace,
      ...times(row),
      ...progressOf(row, now),
      ...(row.completed_at === null ? {} : { expiredAt: daysAfter(row.completed_at, retentionDays) }),
    },
    spec: {
      parallelism: fixed.parallelism,
      timeout: fixed.timeoutSeconds,
      ...(fixed.memoryOverrideMb === undefined ? {} : { memoryOverride: fixed.memoryOverrideMb }),
      ...(fixed.env === undefined ? {} : { envOverride: maskedEnv(fixed.env) }),
      ...(tasks === undefined ? {} : { tasks }),
    },
    stats: {
      cancelled: row.cancelled,
      failure: row.failed,
      retried: row.retried,
      running: row.active,
      success: row.succeeded,
      total: row.task_count,
    },
    status: row.status,
    ...(tasks === undefined ? {} : { tasks }),
  };
}

const daysAfter = (time: Date, days: number): string => new Date(time.getTime() + days * 86_400_000).toISOString();

/** Variable names are shown, values never: any value may be a secret. */
const maskedEnv = (env: NonNullable<FixedSpec['env']>): string =>
  JSON.stringify(Object.fromEntries(Object.keys(env).map((name) => [name, mask])));

const taskName = (index: number): string => `task-${index}`;

export function renderTask(row: TaskRow, fixed: FixedSpec) {
  return {
    metadata: {
      name: taskName(row.index),
      ...times(row),
      ...(row.scheduled_at === null ? {} : { scheduledAt: row.scheduled_at.toISOString() }),
    },
    spec: { maxRetries: fixed.maxRetries, timeout: durationText(fixed.timeoutSeconds) },
    conditions: [taskCondition(row)],
    status: row.status,
  };
}

interface Times {
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly started_at: Date | null;
  readonly completed_at: Date | null;
}

const times = ({ created_at, updated_at, started_at, completed_at }: Times) => ({
  createdAt: created_at.toISOString(),
  updatedAt: updated_at.toISOString(),
  ...(started_at === null ? {} : { startedAt: started_at.toISOString() }),
  ...(completed_at === null ? {} : { completedAt: completed_at.toISOString() }),
});
