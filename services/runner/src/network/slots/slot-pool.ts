// Pool of ready slots. Creating a slot takes a quarter of a second, which would otherwise be part of every start.
import type { Logger } from '@berth/telemetry';
import type { NetworkSlot } from './network-slot.ts';

export interface SlotPoolOptions {
  readonly size: number;
  readonly logger: Logger;
  create(): Promise<NetworkSlot>;
  /** A slot may have ended while it waited. */
  isAlive(slot: NetworkSlot): Promise<boolean>;
  remove(slot: NetworkSlot): Promise<void>;
}

const retryMs = 2_000;
/**
 * Pause before the pool refills: the caller that took a slot is about to start a container in it, and creating
 * another slot at the same time slows both down.
 */
const refillDelayMs = 400;

export class SlotPool {
  readonly #options: SlotPoolOptions;
  readonly #ready: NetworkSlot[] = [];
  #filling = Promise.resolve();
  #isFilling = false;
  /** Timer of the next refill. */
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** Number of times that all slots were discarded. */
  #round = 0;

  constructor(options: SlotPoolOptions) {
    this.#options = options;
    this.#fill();
  }

  async take(): Promise<NetworkSlot> {
    for (let slot = this.#ready.shift(); slot !== undefined; slot = this.#ready.shift()) {
      this.#fillAfter(refillDelayMs);
      if (await this.#options.isAlive(slot)) return slot;
      await this.#options.remove(slot);
    }
    this.#fillAfter(refillDelayMs);
    return this.#create();
  }

  /** Creates a new slot; the ready ones stay in the pool. */
  make(): Promise<NetworkSlot> {
    return this.#create();
  }

  /**
   * Replaces the slots after the bridge was recreated: slots that are ready or being created may be attached to the
   * old bridge.
   */
  async renew(): Promise<void> {
    this.#round += 1;
    await Promise.all(this.#ready.splice(0).map((slot) => this.#options.remove(slot)));
    this.#fill();
  }

  async #create(): Promise<NetworkSlot> {
    for (;;) {
      const round = this.#round;
      const slot = await this.#options.create();
      if (round === this.#round) return slot;
      await this.#options.remove(slot);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#filling;
    await Promise.all(this.#ready.splice(0).map((slot) => this.#options.remove(slot)));
  }

  #fillAfter(ms: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fill(), ms).unref();
  }

  /** Creates slots one at a time: starts of instances come first. */
  #fill(): void {
    if (this.#isFilling) return;
    this.#filling = this.#fillUp().catch((error) => {
      this.#options.logger.warn({ err: error }, 'network slot creation failed; retrying');
      this.#fillAfter(retryMs);
    });
  }

  async #fillUp(): Promise<void> {
    this.#isFilling = true;
    try {
      while (!this.#closed && this.#ready.length < this.#options.size) this.#ready.push(await this.#create());
    } finally {
      this.#isFilling = false;
    }
  }
}
