// Callers that wait for one instance: for a connection until it can be opened, or for an applied generation.

import { Condition } from '@berth/concurrency';
import type { RunnerCallAnswer } from '@berth/contract/node';
import type { Failure } from '../failures/failure.ts';
import type { Endpoint } from '../ingress/endpoint.ts';

/** Current state of the instance. */
export interface InstanceView {
  readonly isWanted: boolean;
  readonly failure: Failure | undefined;
  /** Address for callers that are allowed to connect. */
  readonly endpoint: Endpoint | undefined;
  /** Newest generation that is applied. */
  readonly generation: number;
}

const maxWaitMs = 10_000;

export class PendingCallers {
  readonly #look: () => InstanceView;
  readonly #changes = new Condition();

  constructor(look: () => InstanceView) {
    this.#look = look;
  }

  changed(): void {
    this.#changes.changed();
  }

  get endpoint(): Endpoint | undefined {
    return this.#look().endpoint;
  }

  /** Undefined when the instance cannot be opened in time. */
  async untilEndpoint(): Promise<Endpoint | undefined> {
    await this.#until(({ endpoint }) => endpoint !== undefined);
    return this.endpoint;
  }

  isApplied(generation: number): boolean {
    const now = this.#look();
    return now.generation >= generation && now.endpoint !== undefined;
  }

  async untilApplied(generation: number): Promise<RunnerCallAnswer> {
    await this.#until(() => this.isApplied(generation));
    if (this.isApplied(generation)) return { call: 'done' };
    const { isWanted, failure } = this.#look();
    if (!isWanted) return { call: 'unknown' };
    return {
      call: 'failed',
      message: failure?.message ?? 'It takes longer than a call may, and goes on all the same.',
    };
  }

  /** Also returns when waiting is useless: the instance is unwanted or has failed. */
  #until(isSo: (now: InstanceView) => boolean): Promise<boolean> {
    return this.#changes.until(() => {
      const now = this.#look();
      return isSo(now) || !now.isWanted || now.failure !== undefined;
    }, maxWaitMs);
  }
}
