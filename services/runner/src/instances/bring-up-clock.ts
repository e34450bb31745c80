import type { InstanceReport } from '@berth/contract/node';

type Stages = NonNullable<InstanceReport['stages']>;

/** Measures the time to bring an instance up, in total and per stage. */
export class BringUpClock {
  #startedAt = performance.now();
  #stages: Stages = {};

  get stages(): Stages {
    return this.#stages;
  }

  /** `afterMs`: a pause before the work, which is not counted. */
  begin(afterMs = 0): void {
    this.#startedAt = performance.now() + afterMs;
    this.#stages = {};
  }

  async measure<Result>(stage: keyof Stages, work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    const result = await work();
    this.#stages = { ...this.#stages, [stage]: elapsedMs(startedAt) };
    return result;
  }

  seconds(): number {
    return elapsedMs(this.#startedAt) / 1_000;
  }
}

export const elapsedMs = (since: number): number => Math.round((performance.now() - since) * 10) / 10;
