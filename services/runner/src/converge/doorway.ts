// Those who wait for an instance: to speak to a sandbox that is about to be its owner's, or to hear that it is.
import type { RunnerCallAnswer } from '@berth/contract';
import { Condition } from '@berth/pace';
import type { Admission, Endpoint } from '../ingress/endpoint.ts';
import { type SandboxKeeper, sandboxLeaseKeepMs } from '../sandbox/keeper.ts';
import type { Failure } from './decide.ts';

/** How the instance stands now. */
export interface Standing {
  readonly isWanted: boolean;
  readonly failure: Failure | undefined;
  /** Where it answers those who may speak to it. */
  readonly endpoint: Endpoint | undefined;
  /** The newest that is applied. */
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

  /** The first who speaks to a sandbox may come before it is handed over, and others while it sleeps. */
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

  /** Or until there is nothing to wait for. */
  #until(isSo: (now: Standing) => boolean): Promise<boolean> {
    return this.#news.until(() => {
      const now = this.#look();
      return isSo(now) || !now.isWanted || now.failure !== undefined;
    }, mostMs);
  }
}
