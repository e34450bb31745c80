// Runs engine work that brings instances up, a few at a time: the engine is not faster with many at once.
import type { PrioritySemaphore } from '@berth/concurrency';
import type { Failure } from '../failures/failure.ts';
import { engineFaultOf, engineMessageOf } from './engine-fault.ts';
import { startFailed } from './explain.ts';

/** This many consecutive failures of the runtime are no accident. */
const maxRuntimeFaults = 3;

export interface EngineWork {
  readonly work: () => Promise<void>;
  /** Aborted when the instance is no longer wanted; checked again after the wait for a turn. */
  readonly signal: AbortSignal;
  /** Workspace of the instance; workspaces that wait get their turns in rotation. */
  readonly owner: string | undefined;
  /** Work that a caller waits for (`foreground`) goes first, then tasks (`batch`), then warm sandboxes. */
  readonly priority: 'foreground' | 'batch' | 'background';
  /** Removes a container that the runtime could not start, unless it holds files of an owner. */
  readonly clear: () => Promise<void>;
}

export class EngineQueue {
  readonly #limit: PrioritySemaphore;
  #runtimeFaults = 0;

  constructor(limit: PrioritySemaphore) {
    this.#limit = limit;
  }

  /** Returns a failure that the instance itself causes; throws every other one, so that it is retried. */
  async run({ work, signal, owner, priority, clear }: EngineWork): Promise<Failure | undefined> {
    const unlessAborted = async (): Promise<void> => {
      if (!signal.aborted) await work();
    };
    try {
      if (priority === 'background') await this.#limit.runInBackground(unlessAborted);
      else if (priority === 'batch') await this.#limit.runBatch(unlessAborted, owner);
      else await this.#limit.run(unlessAborted, owner);
      this.#runtimeFaults = 0;
      return undefined;
    } catch (error) {
      const fault = engineFaultOf(error);
      if (fault === 'engine') throw error;
      this.#runtimeFaults += 1;
      if (fault === 'instance' || this.#runtimeFaults >= maxRuntimeFaults) return startFailed(engineMessageOf(error));
      await clear();
      throw error;
    }
  }
}
