import { Lease } from './lease.ts';

export interface LeasesOptions {
  /** Lease socket of the runner on this machine. */
  readonly socketPath: string;
  readonly answerMs: number;
  readonly keepMs: number;
  /** The lease of the instance has ended: idle connections to it should be closed. */
  readonly onOver?: (instance: string) => void;
}

/** One shared lease per instance; concurrent callers share the request for it. */
export class Leases {
  readonly #options: LeasesOptions;
  readonly #leases = new Map<string, Promise<Lease | undefined>>();

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  /** Resolves and rejects like `Lease.ask`. */
  on(instance: string): Promise<Lease | undefined> {
    const known = this.#leases.get(instance);
    if (known !== undefined) return known;
    const { onOver, ...options } = this.#options;
    const forget = () => void (this.#leases.get(instance) === requested && this.#leases.delete(instance));
    const requested = Lease.ask({
      ...options,
      instance,
      onOver() {
        forget();
        onOver?.(instance);
      },
    });
    this.#leases.set(instance, requested);
    requested.then((lease) => lease ?? forget(), forget);
    return requested;
  }

  async close(): Promise<void> {
    for (const requested of [...this.#leases.values()]) (await requested.catch(() => undefined))?.close();
  }
}
