// Callers that wait for a sandbox instance: for a connection until it belongs to its owner, or for an applied
// generation.
import type { RunnerCallAnswer } from '@berth/contract';
import { Condition } from '@berth/pace';
import type { Failure } from '../failures/failure.ts';
import type { Admission, Endpoint } from '../ingress/endpoint.ts';
import { type SandboxKeeper, sandboxLeaseKeepMs } from '../sleep/keeper.ts';

/** Current state of the instance. */
export interface Standing {
  readonly isWanted: boolean;
  readonly failure: Failure | undefined;
  /** Address for callers that are allowed to connect. */
  readonly endpoint: Endpoint | undefined;
  /** Newest generation that is applied. */
  readonly generation: number;
}

const mostMs = 10_000;

export class Doorway {
  readonly #instance: string;
  readonly #look: () => Standing;
  readonly #news = new Condition();

  constructor(instance: string, look: () => Standing) {
    this.#instance = instance;
    this.#look = look;
  }

  changed(): void {
    this.#news.changed();
  }

  /** Waits for the handover to the owner: the first connection may arrive before it. Then wakes a sleeping sandbox. */
  async open(keeper: SandboxKeeper): Promise<Admission> {
    await this.#until(({ endpoint }) => endpoint !== undefined);
    const { endpoint } = this.#look();
    if (endpoint === undefined) return { is: 'unknown' };
    const opened = await keeper.open(this.#instance);
    return opened.is === 'open' ? { is: 'open', endpoint, keepMs: sandboxLeaseKeepMs } : opened;
  }

  isApplied(generation: number): boolean {
    const now = this.#look();
    return now.generation >= generation && now.endpoint !== undefined;
  }

  async applied(generation: number): Promise<RunnerCallAnswer> {
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
  #until(isSo: (now: Standing) => boolean): Promise<boolean> {
    return this.#news.until(() => {
      const now = this.#look();
      return isSo(now) || !now.isWanted || now.failure !== undefined;
    }, mostMs);
  }
}
