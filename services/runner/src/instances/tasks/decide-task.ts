// The next step for one task, from its desired state, its file and the engine's state. Pure: a worker carries the step
// out, inspects again and calls this again. The process of a task runs at most once, whatever is killed in between.

export interface TaskSituation {
  readonly isWanted: boolean;
  /** The file of the task exists: a container was or is about to be created, so the process may have run. */
  readonly hasFile: boolean;
  /** The result is known, from the file or from an earlier look at the container. */
  readonly hasResult: boolean;
  /** The disk watch needs the space of the container. */
  readonly isGivenUp: boolean;
  readonly container: 'absent' | 'created' | 'running' | 'paused' | 'exited';
  /** The network of a container that was not started yet still exists. */
  readonly hasNetwork: boolean;
  /** Time since the process started; 0 when it does not run. */
  readonly elapsedMs: number;
  readonly timeoutMs: number;
}

export type TaskStep =
  | { readonly do: 'create' }
  | { readonly do: 'start' }
  /** Removes a container whose process never ran, and its file; the task stays wanted. */
  | { readonly do: 'discard' }
  | { readonly do: 'unpause' }
  /** The process runs: its deadline is in `forMs`. */
  | { readonly do: 'wait'; readonly forMs: number }
  /** Records the result `timeout`; the next step stops the process. */
  | { readonly do: 'time-out' }
  /** Records the result `lost`. */
  | { readonly do: 'lose' }
  /** Ends a process whose result is recorded. */
  | { readonly do: 'stop' }
  /** Removes the container and all it has written, without a grace period; the result is kept. */
  | { readonly do: 'erase' }
  /** Reports the result. The container stays until the task is no longer wanted. */
  | { readonly do: 'end' }
  | { readonly do: 'remove' };

export function decideTask(task: TaskSituation): TaskStep {
  if (!task.isWanted) return { do: 'remove' };
  if (task.hasResult) return afterResult(task);
  switch (task.container) {
    case 'absent':
      return { do: task.hasFile ? 'lose' : 'create' };
    case 'created':
      // Discarding is safe in this status alone: the engine has never started the process.
      return { do: task.hasNetwork ? 'start' : 'discard' };
    case 'paused':
      return { do: 'unpause' };
    case 'running': {
      const forMs = task.timeoutMs - task.elapsedMs;
      return forMs > 0 ? { do: 'wait', forMs } : { do: 'time-out' };
    }
    case 'exited':
      return { do: 'end' };
  }
}

function afterResult({ container, isGivenUp }: TaskSituation): TaskStep {
  if (isGivenUp && container !== 'absent') return { do: 'erase' };
  return { do: container === 'running' || container === 'paused' ? 'stop' : 'end' };
}
