// Renders a stored execution for clients. Specification: Job execution.
import { FixedSpec } from '@berth/jobs';
import { mask } from '../../resources/secrets.ts';
import { durationText } from './duration-text.ts';
import { type ExecutionRow, type TaskRow } from './record.ts';
import type { ExecutionStats } from './stats.ts';

interface ExecutionNames {
  readonly job: string;
  readonly workspace: string;
}

export function renderExecution(
  row: ExecutionRow,
  names: ExecutionNames,
  stats: ExecutionStats | undefined,
  taskRows?: readonly TaskRow[],
) {
  const fixed = FixedSpec.parse(row.spec);
  const tasks = taskRows?.map((task) => renderTask(task, fixed));
  return {
    metadata: {
      id: row.external_id,
      ...names,
      ...times(row),
    },
    spec: {
      parallelism: fixed.parallelism,
      timeout: fixed.timeoutSeconds,
      ...(fixed.memoryOverrideMb === undefined ? {} : { memoryOverride: fixed.memoryOverrideMb }),
      ...(fixed.env === undefined ? {} : { envOverride: maskedEnv(fixed.env) }),
      ...(tasks === undefined ? {} : { tasks }),
    },
    ...(stats === undefined ? {} : { stats }),
    status: row.status,
    ...(tasks === undefined ? {} : { tasks }),
  };
}

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
    conditions: [conditions[row.status] ?? unknownCondition],
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

const condition = (type: string, state: 'true' | 'false' | 'unknown', reason: string, message: string) => ({
  type,
  state,
  reason,
  executionReason: '',
  message,
  severity: reason === 'Failed' ? 'error' : 'info',
});

/** Condition shown for each status. */
const conditions: Readonly<Record<string, ReturnType<typeof condition>>> = {
  pending: condition('Scheduled', 'false', 'JobsDoNotRun', 'Jobs do not run yet, so nothing starts it.'),
  reconciling: condition('Scheduled', 'true', 'Starting', 'A runner is starting it.'),
  running: condition('Started', 'true', 'Running', 'Runs.'),
  succeeded: condition('Completed', 'true', 'Succeeded', 'Ended with exit code 0.'),
  failed: condition('Completed', 'false', 'Failed', 'Failed after its last retry.'),
  cancelled: condition('Completed', 'false', 'Cancelled', 'Cancelled before it ended.'),
};
const unknownCondition = condition('Scheduled', 'unknown', 'Unknown', 'Its state is not known.');
