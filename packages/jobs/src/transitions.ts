// State machine of an execution, as a table. An event without a matching row leaves the execution unchanged.
// Control-plane sheet 3.2.
import type { jobExecutionStatuses } from '@berth/contract';

export type ExecutionStatus = (typeof jobExecutionStatuses)[number];

export type ExecutionEvent =
  /** A runner has room for the execution. */
  | 'admitted'
  | 'firstTaskStarted'
  | 'allTasksSucceeded'
  /** A task failed after its retries and no task is left to run. */
  | 'taskFailed'
  | 'timeoutPassed'
  | 'cancelAsked'
  /** No task of the cancelled execution runs any more. */
  | 'drained';

export interface Transition {
  readonly from: ExecutionStatus;
  readonly event: ExecutionEvent;
  readonly to: ExecutionStatus;
}

export const transitions: readonly Transition[] = [
  { from: 'queued', event: 'admitted', to: 'pending' },
  { from: 'pending', event: 'firstTaskStarted', to: 'running' },
  { from: 'running', event: 'allTasksSucceeded', to: 'succeeded' },
  { from: 'running', event: 'taskFailed', to: 'failed' },
  { from: 'running', event: 'timeoutPassed', to: 'timeout' },
  { from: 'queued', event: 'cancelAsked', to: 'cancelling' },
  { from: 'pending', event: 'cancelAsked', to: 'cancelling' },
  { from: 'running', event: 'cancelAsked', to: 'cancelling' },
  { from: 'cancelling', event: 'drained', to: 'cancelled' },
];

/** The next status; undefined when the event changes nothing. */
export const nextStatus = (status: string, event: ExecutionEvent): ExecutionStatus | undefined =>
  transitions.find((transition) => transition.from === status && transition.event === event)?.to;
