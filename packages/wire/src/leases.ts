import { Lease } from './lease.ts';

export interface LeasesOptions {
  /** Of the runner on this machine. */
  readonly socketPath: string;
  readonly answerMs: number;
  readonly keepMs: number;
  /** The runner stops lending it: what is idle towards it should end. */
  readonly onOver?: (instance: string) => void;
}

/** One lease of each instance, asked for once and shared, however many ask for it meanwhile. */
export class Leases {
  readonly #options: LeasesOptions;
  readonly #asked = new Map<string, Promise<Lease | undefined>>();

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  /** As `Lease.ask`. */
  on(instance: string): Promise<Lease | undefined> {
    const known = this.#asked.get(instance);
    if (known !== undefined) return known;
    const { onOver, ...options } = this.#options;
    const forget = () => void (this.#asked.get(instance) === asked && this.#asked.delete(instance));
    const asked = Lease.ask({
      ...options,
      instance,
      onOver() {
        forget();
        onOver?.(instance);
      },
    });
    this.#asked.set(instance, asked);
    asked.then((lease) => lease ?? forget(), forget);
    return asked;
  }

  async close(): Promise<void> {
    for (const asked of [...this.#asked.values()]) (await asked.catch(() => undefined))?.close();
  }
}
