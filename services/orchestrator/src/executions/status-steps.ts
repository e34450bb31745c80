// The statuses that an execution passes after a settlement, each with the message of its event. Pure.
import { type ExecutionEvent, type ExecutionStatus, nextStatus } from '@berth/jobs';
import type { ExecutionCounters } from './settle.ts';

export interface StatusStep {
  readonly status: ExecutionStatus;
  readonly message: string;
}

export interface Progress {
  readonly status: string;
  readonly taskCount: number;
  readonly counters: ExecutionCounters;
  /** An attempt has started or ended. */
  readonly hasStarted: boolean;
  /** Every failed task failed by its timeout. Matters only once all tasks are in a final state. */
  readonly hasOnlyTimeouts: boolean;
}

export const pendingTasks = ({ taskCount, counters }: Pick<Progress, 'taskCount' | 'counters'>): number =>
  taskCount - counters.active - counters.succeeded - counters.failed - counters.cancelled;

/** Every task is in a final state. */
export const isDone = (progress: Pick<Progress, 'taskCount' | 'counters'>): boolean =>
  progress.counters.active === 0 && pendingTasks(progress) === 0;

export function statusSteps(progress: Progress): StatusStep[] {
  const done = isDone(progress);
  // Tasks that cannot run fail without an attempt, so a queued execution may end: it passes the statuses between.
  const events: ExecutionEvent[] = [
    ...(progress.hasStarted || done ? (['admitted', 'firstTaskStarted'] as const) : []),
    ...(done ? [endOf(progress), 'drained' as const] : []),
  ];
  const steps: StatusStep[] = [];
  for (const event of events) {
    const status = nextStatus(steps.at(-1)?.status ?? progress.status, event);
    if (status !== undefined) steps.push({ status, message: messages[event](progress) });
  }
  return steps;
}

function endOf({ counters, hasOnlyTimeouts }: Progress): ExecutionEvent {
  if (counters.failed === 0) return 'allTasksSucceeded';
  return hasOnlyTimeouts ? 'timeoutPassed' : 'taskFailed';
}

export const admittedMessage = 'Its first tasks have a runner.';

const messages: Readonly<Record<ExecutionEvent, (progress: Progress) => string>> = {
  admitted: () => admittedMessage,
  firstTaskStarted: () => 'Its first task has started.',
  allTasksSucceeded: ({ taskCount }) => (taskCount === 1 ? 'Its task succeeded.' : `All ${taskCount} tasks succeeded.`),
  taskFailed: ({ taskCount, counters }) => `${counters.failed} of ${taskCount} tasks failed after their retries.`,
  timeoutPassed: ({ taskCount, counters }) =>
    `${counters.failed} of ${taskCount} tasks did not end within their timeout.`,
  cancelAsked: () => 'Cancelled on request.',
  drained: () => 'None of its tasks runs any more.',
};
