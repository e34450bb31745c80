// Jobs: an image that does one piece of work and ends.
import type { JobExecution } from '../generated/management.ts';
import { pause } from '../http/pause.ts';
import type { ManagementApi } from '../management-api.ts';

/** Options of a run. */
export interface RunOptions {
  /** Called with each new state of the execution. */
  readonly onProgress?: ((execution: JobExecution) => void) | undefined;
  /** Ends the wait; the execution goes on. */
  readonly signal?: AbortSignal | undefined;
}

const ended = new Set(['succeeded', 'failed', 'timeout', 'cancelled']);
const pollMs = 1_000;

/** Executions of jobs of the workspace. */
export class Jobs {
  readonly #api: ManagementApi;

  constructor(api: ManagementApi) {
    this.#api = api;
  }

  /** Starts an execution with one task for each element, and resolves with its end, whatever that is. */
  async run(
    name: string,
    tasks: readonly Readonly<Record<string, unknown>>[],
    { onProgress, signal }: RunOptions = {},
  ): Promise<JobExecution> {
    const { executionId = '' } = await this.#api.request('createJobExecution', {
      params: { jobId: name },
      body: { tasks: tasks.map((task) => ({ ...task })) },
      signal,
    });
    for (let last = ''; ; ) {
      const execution = await this.execution(name, executionId);
      const state = JSON.stringify([execution.status, execution.stats]);
      if (state !== last) onProgress?.(execution);
      last = state;
      if (ended.has(execution.status ?? '')) return execution;
      await pause(pollMs, signal);
    }
  }

  /** An execution, with its status and the counts of its tasks. */
  execution(name: string, executionId: string): Promise<JobExecution> {
    return this.#api.request('getJobExecution', { params: { jobId: name, executionId } });
  }

  /** Cancels an execution. Running tasks finish; no further task starts. */
  async cancel(name: string, executionId: string): Promise<void> {
    await this.#api.request('cancelJobExecution', { params: { jobId: name, executionId } });
  }
}
