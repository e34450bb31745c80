// How a task ended, from its container and from what the runner did to it. Pure.
import { TaskEndReason, type TaskResult } from '@berth/contract/node';
import { z } from 'zod';
import type { ContainerState } from '../../driver/driver.ts';
import type { Failure } from '../../failures/failure.ts';

/** Times are those of this machine's clock; a report turns them into durations. */
export const TaskEnd = z.object({
  reason: TaskEndReason,
  /** For people; absent when the task succeeded. */
  message: z.string().optional(),
  exitCode: z.int().optional(),
  ranMs: z.number().nonnegative().optional(),
  endedAtMs: z.number(),
});
export type TaskEnd = z.infer<typeof TaskEnd>;

/** The end of a task that the runner could not bring up, or had to end. Codes of other instances do not occur here. */
export const endBy = ({ code, message }: Failure, nowMs: number): TaskEnd => ({
  reason: TaskEndReason.safeParse(code).data ?? 'start_failed',
  message,
  endedAtMs: nowMs,
});

/**
 * Reason of a container that exited by itself. A process that ends with 0 after the kernel has killed one of its children
 * for memory has succeeded.
 */
export const reasonOf = ({ outOfMemory, exitCode }: Pick<ContainerState, 'outOfMemory' | 'exitCode'>) =>
  outOfMemory && exitCode !== 0 ? 'out_of_memory' : 'exited';

type Times = Pick<ContainerState, 'status' | 'startedAt' | 'finishedAt'>;

/** The engine knows best when the process ran. `end` keeps its own times where the engine has none. */
export function withTimes(end: TaskEnd, { status, startedAt, finishedAt }: Times, nowMs: number): TaskEnd {
  if (startedAt === undefined) return end;
  const endedAtMs = status === 'exited' ? (finishedAt ?? end.endedAtMs) : nowMs;
  return { ...end, endedAtMs, ranMs: Math.max(0, endedAtMs - startedAt) };
}

export function taskResult({ reason, exitCode, ranMs, endedAtMs }: TaskEnd, nowMs: number): TaskResult {
  return {
    reason,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(ranMs === undefined ? {} : { ranMs }),
    endedMsAgo: Math.max(0, nowMs - endedAtMs),
  };
}
