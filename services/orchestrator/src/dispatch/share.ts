// Decides how many tasks of each execution are placed next: the workspace whose tasks hold the least memory gets the
// next one, and in a workspace the oldest execution. Pure.
import { type Block, type ShareInput, Tally, type WaitingExecution } from './tally.ts';

export interface Shares {
  /** Tasks to place, by execution; those that get none are absent. */
  readonly counts: ReadonlyMap<string, number>;
  /** Absent for an execution that gets no more only because the run has reached its maximum. */
  readonly blocks: ReadonlyMap<string, Block>;
}

export function share(input: ShareInput): Shares {
  const tally = new Tally(input);
  let queues = [...Map.groupBy(input.executions.toSorted(byAge), ({ workspaceId }) => workspaceId).values()];
  while (!tally.isOver) {
    // A block stays, so the executions at the head of a queue that are blocked need not be looked at again.
    queues = queues.map((queue) => withoutBlocked(queue, tally)).filter((queue) => queue.length > 0);
    const next = nextTurn(queues, tally);
    if (next === undefined) break;
    tally.give(next, 1);
  }
  const blocks = new Map<string, Block>();
  for (const execution of input.executions) {
    const block = tally.blockOf(execution);
    if (block !== undefined) blocks.set(execution.executionId, block);
  }
  return { counts: tally.given, blocks };
}

/** The input of the next decision, after some tasks were placed and without executions that cannot use their share. */
export function afterPlacing(
  input: ShareInput,
  placed: ReadonlyMap<string, number>,
  excluded: ReadonlySet<string>,
): ShareInput {
  const tally = new Tally(input);
  for (const execution of input.executions) tally.give(execution, placed.get(execution.executionId) ?? 0);
  const rest = tally.rest();
  return { ...rest, executions: rest.executions.filter(({ executionId }) => !excluded.has(executionId)) };
}

function withoutBlocked(queue: WaitingExecution[], tally: Tally): WaitingExecution[] {
  const first = queue.findIndex((execution) => tally.blockOf(execution) === undefined);
  if (first === 0) return queue;
  return first === -1 ? [] : queue.slice(first);
}

function nextTurn(queues: readonly WaitingExecution[][], tally: Tally): WaitingExecution | undefined {
  let next: WaitingExecution | undefined;
  for (const [head] of queues) {
    if (head === undefined) continue;
    if (next === undefined || turnOf(head, next, tally) < 0) next = head;
  }
  return next;
}

const turnOf = (left: WaitingExecution, right: WaitingExecution, tally: Tally): number =>
  tally.mbOf(left.workspaceId) - tally.mbOf(right.workspaceId) || byAge(left, right);

const byAge = (left: WaitingExecution, right: WaitingExecution): number =>
  left.createdAt - right.createdAt || (left.executionId < right.executionId ? -1 : 1);
