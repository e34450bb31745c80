import type { InstanceReport } from '@berth/contract';

type Stages = NonNullable<InstanceReport['stages']>;

/** How long bringing an instance up takes, altogether and stage by stage. */
export class BringUpClock {
  #startedAt = performance.now();
  #stages: Stages = {};

  get stages(): Stages {
    return this.#stages;
  }

  /** A pause before it does not count. */
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
