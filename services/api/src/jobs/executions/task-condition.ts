// The condition of a task, from its status and from how its newest attempt ended. Pure.
import type { TaskEndReason } from '@berth/contract/node';
import type { TaskRow } from './record.ts';

interface Condition {
  readonly type: 'Scheduled' | 'Started' | 'Completed';
  readonly state: 'true' | 'false' | 'unknown';
  readonly reason: string;
  /** How the newest attempt ended; empty before the first has. */
  readonly executionReason: string;
  readonly message: string;
  readonly severity: 'info' | 'warning' | 'error';
}

type Task = Pick<TaskRow, 'status' | 'failures' | 'losses' | 'reason' | 'exit_code' | 'message'>;

const neverRan = { executionReason: '', severity: 'info' } as const;

/** Condition of each status whose text does not depend on an attempt. */
const conditions: Readonly<Record<string, Condition>> = {
  pending: {
    ...neverRan,
    type: 'Scheduled',
    state: 'false',
    reason: 'Waiting',
    message: 'Waits for a runner that has room for it.',
  },
  reconciling: {
    ...neverRan,
    type: 'Scheduled',
    state: 'true',
    reason: 'Starting',
    message: 'A runner is starting it.',
  },
  running: { ...neverRan, type: 'Started', state: 'true', reason: 'Running', message: 'Runs.' },
  cancelled: {
    ...neverRan,
    type: 'Completed',
    state: 'false',
    reason: 'Cancelled',
    message: 'Cancelled before it ended.',
  },
};

const unknown: Condition = {
  ...neverRan,
  type: 'Scheduled',
  state: 'unknown',
  reason: 'Unknown',
  message: 'Its state is not known.',
};

interface Ending {
  readonly reason: string;
  /** Shown when the runner gave no text of its own. */
  readonly message: string;
}

/** Ways in which an attempt ends. */
const endings: Readonly<Record<TaskEndReason, Ending>> = {
  exited: { reason: 'ExitCode', message: 'Ended with exit code {code}.' },
  timeout: {
    reason: 'Timeout',
    message:
      'Ran longer than its timeout and was ended. Raise spec.runtime.timeout of the job, or do less in one task.',
  },
  out_of_memory: {
    reason: 'OutOfMemory',
    message: 'Used more memory than it has. Raise spec.runtime.memory of the job.',
  },
  disk_full: { reason: 'DiskFull', message: 'Wrote more to its disk than it may. Write less, or delete files.' },
  image_missing: {
    reason: 'ImageMissing',
    message: 'Its image does not exist. Push it, or correct spec.runtime.image.',
  },
  image_refused: {
    reason: 'ImageRefused',
    message: 'The registry refused its image. Ask the operator for access, or name another image.',
  },
  image_unavailable: { reason: 'ImageUnavailable', message: 'The registry of its image could not be reached.' },
  start_failed: { reason: 'StartFailed', message: 'Its container could not be started.' },
  lost: { reason: 'Lost', message: 'Its machine was lost, so it is not known how it ended.' },
};

const isEndReason = (reason: string): reason is TaskEndReason => Object.hasOwn(endings, reason);

export function taskCondition(task: Task): Condition {
  if (task.status === 'succeeded' || task.status === 'failed') return completed(task);
  if (task.status === 'pending' && task.failures + task.losses > 0) return retrying(task);
  return conditions[task.status] ?? unknown;
}

function completed(task: Task): Condition {
  const isSuccess = task.status === 'succeeded';
  const { reason, message } = endingOf(isSuccess ? { ...task, reason: 'exited', exit_code: 0 } : task);
  return isSuccess
    ? { type: 'Completed', state: 'true', reason: 'Succeeded', executionReason: reason, message, severity: 'info' }
    : { type: 'Completed', state: 'false', reason, executionReason: reason, message, severity: 'error' };
}

function retrying(task: Task): Condition {
  const { reason, message } = endingOf(task);
  const attempts = task.failures + task.losses;
  const failed = attempts === 1 ? '1 attempt has failed' : `${attempts} attempts have failed`;
  return {
    type: 'Scheduled',
    state: 'false',
    reason: 'Retrying',
    executionReason: reason,
    message: `Waits for its next attempt. ${failed}, the last with ${reason}: ${message}`,
    severity: 'warning',
  };
}

const unexplained: Ending = { reason: 'Failed', message: 'Failed for an unknown reason.' };

/** The runner's own text is preferred, because it may hold the last output. */
function endingOf({ reason, exit_code, message }: Task): Ending {
  const ending = reason !== null && isEndReason(reason) ? endings[reason] : unexplained;
  return { ...ending, message: message ?? ending.message.replace('{code}', String(exit_code ?? 'unknown')) };
}
