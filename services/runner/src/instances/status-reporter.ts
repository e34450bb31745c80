import type { Observation } from '../node/pending-reports.ts';
import type { WorkerDependencies } from './worker-dependencies.ts';

type More = Partial<Pick<Observation, 'code' | 'message' | 'address' | 'stages' | 'generation' | 'result'>>;

/** Reports the state of one instance to the api, each observation only once. */
export class StatusReporter {
  readonly #instance: string;
  readonly #report: WorkerDependencies['report'];
  #last: Observation | undefined;

  constructor(instance: string, report: WorkerDependencies['report']) {
    this.#instance = instance;
    this.#report = report;
  }

  get lastState(): Observation['state'] | undefined {
    return this.#last?.state;
  }

  report(state: Observation['state'], starts: number, more: More = {}): void {
    const observation: Observation = { state, starts, ...more };
    if (JSON.stringify(observation) === JSON.stringify(this.#last)) return;
    this.#last = observation;
    this.#report(this.#instance, observation);
  }
}
