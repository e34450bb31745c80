// Admits a wake only if the machine has the memory for one more awake sandbox. Memory is heavily overcommitted, so the
// check uses memory that is really free.

export interface WakeAdmissionOptions {
  /** Memory that has to stay free for the machine itself and for awake sandboxes. */
  readonly reserveMb: number;
  readonly freeMemoryMb: () => number;
  /** Frees memory step by step while `isShort` returns true. */
  readonly freeMemory: (isShort: () => boolean) => Promise<void>;
}

export type Admitted = { readonly is: 'admitted' } | { readonly is: 'busy'; readonly retryAfterSeconds: number };

const retryAfterSeconds = 5;

export class WakeAdmission {
  readonly #options: WakeAdmissionOptions;
  #freeing: Promise<void> | undefined;

  constructor(options: WakeAdmissionOptions) {
    this.#options = options;
  }

  get isShort(): boolean {
    const { freeMemoryMb, reserveMb } = this.#options;
    return freeMemoryMb() < reserveMb;
  }

  async admit(): Promise<Admitted> {
    if (!this.isShort) return { is: 'admitted' };
    // One relief at a time: it frees the same amount for any number of waiting callers.
    this.#freeing ??= this.#options
      .freeMemory(() => this.isShort)
      .finally(() => {
        this.#freeing = undefined;
      });
    await this.#freeing;
    return this.isShort ? { is: 'busy', retryAfterSeconds } : { is: 'admitted' };
  }
}
