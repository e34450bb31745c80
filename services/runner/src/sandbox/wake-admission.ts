// Whether the machine has the memory for one more sandbox that is awake. What sandboxes are promised is far more than there is: what
// counts here is what is really free.

export interface WakeAdmissionOptions {
  /** What has to stay free for the machine itself, and for those that are awake. */
  readonly reserveMb: number;
  readonly freeMemoryMb: () => number;
  /** Makes room, little by little, for as long as it is told to. */
  readonly relieve: (isShort: () => boolean) => Promise<void>;
}

export type Admitted = { readonly is: 'admitted' } | { readonly is: 'busy'; readonly retryAfterSeconds: number };

const retryAfterSeconds = 5;

export class WakeAdmission {
  readonly #options: WakeAdmissionOptions;
  #relieving: Promise<void> | undefined;

  constructor(options: WakeAdmissionOptions) {
    this.#options = options;
  }

  get isShort(): boolean {
    const { freeMemoryMb, reserveMb } = this.#options;
    return freeMemoryMb() < reserveMb;
  }

  async admit(): Promise<Admitted> {
    if (!this.isShort) return { is: 'admitted' };
    // One at a time: however many wait, what can be freed is the same.
    this.#relieving ??= this.#options
      .relieve(() => this.isShort)
      .finally(() => {
        this.#relieving = undefined;
      });
    await this.#relieving;
    return this.isShort ? { is: 'busy', retryAfterSeconds } : { is: 'admitted' };
  }
}
