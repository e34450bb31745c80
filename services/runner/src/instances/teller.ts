import type { Observation } from '../node/report-book.ts';
import type { ConvergeTools } from './tools.ts';

type More = Partial<Pick<Observation, 'code' | 'message' | 'address' | 'stages' | 'generation'>>;

/** Reports the state of one instance to the api, each observation only once. */
export class Teller {
  readonly #instance: string;
  readonly #report: ConvergeTools['report'];
  #last: Observation | undefined;

  constructor(instance: string, report: ConvergeTools['report']) {
    this.#instance = instance;
    this.#report = report;
  }

  get lastState(): Observation['state'] | undefined {
    return this.#last?.state;
  }

  say(state: Observation['state'], starts: number, more: More = {}): void {
    const observation: Observation = { state, starts, ...more };
    if (JSON.stringify(observation) === JSON.stringify(this.#last)) return;
    this.#last = observation;
    this.#report(this.#instance, observation);
  }
}
