// Work on the engine that brings an instance up, each in its turn: the engine is not faster when asked for many at a time.
import type { Limit } from '@berth/pace';
import type { Failure } from './decide.ts';
import { faultOf, wordsOf } from './engine-fault.ts';
import { startFailed } from './explain.ts';

/** In a row: then it is not bad luck. */
const mostRuntimeFaults = 3;

export interface TurnWish {
  readonly work: () => Promise<void>;
  /** It waited for its turn, and may not be wanted any more. */
  readonly signal: AbortSignal;
  /** The workspace; those that wait get turns one after the other. */
  readonly owner: string | undefined;
  /** Nobody waits for it yet: whatever somebody waits for goes first. */
  readonly isForLater: boolean;
  /** Away with what the runtime could not start, where nothing is lost with it. */
  readonly clear: () => Promise<void>;
}

export class EngineTurn {
  readonly #limit: Limit;
  #runtimeFaults = 0;

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  /** What the instance itself makes impossible is returned as its failure; everything else is thrown, and tried again. */
  async take({ work, signal, owner, isForLater, clear }: TurnWish): Promise<Failure | undefined> {
    const unlessAborted = async (): Promise<void> => {
      if (!signal.aborted) await work();
    };
    try {
      await (isForLater ? this.#limit.runForLater(unlessAborted) : this.#limit.run(unlessAborted, owner));
      this.#runtimeFaults = 0;
      return undefined;
    } catch (error) {
      const fault = faultOf(error);
      if (fault === 'engine') throw error;
      this.#runtimeFaults += 1;
      if (fault === 'instance' || this.#runtimeFaults >= mostRuntimeFaults) return startFailed(wordsOf(error));
      await clear();
      throw error;
    }
  }
}
