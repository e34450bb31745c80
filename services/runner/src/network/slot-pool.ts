// Slots ready to be taken. Making one takes a quarter of a second, which would otherwise stand in every start.
import type { Logger } from '@berth/telemetry';
import type { NetworkSlot } from './network.ts';

export interface SlotPoolOptions {
  readonly size: number;
  readonly logger: Logger;
  create(): Promise<NetworkSlot>;
  /** A slot may have ended while it waited. */
  isAlive(slot: NetworkSlot): Promise<boolean>;
  remove(slot: NetworkSlot): Promise<void>;
}

const RETRY_MS = 2_000;
/** Whoever took a slot is about to start a container in it, and making another one beside that slows both down. */
const QUIET_MS = 400;

export class SlotPool {
  readonly #options: SlotPoolOptions;
  readonly #ready: NetworkSlot[] = [];
  #filling = Promise.resolve();
  #isFilling = false;
  /** Of the next filling. */
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** Counts how often all slots were given up. */
  #round = 0;

  constructor(options: SlotPoolOptions) {
    this.#options = options;
    this.#fill();
  }

  async take(): Promise<NetworkSlot> {
    for (let slot = this.#ready.shift(); slot !== undefined; slot = this.#ready.shift()) {
      this.#fillAfter(QUIET_MS);
      if (await this.#options.isAlive(slot)) return slot;
      await this.#options.remove(slot);
    }
    this.#fillAfter(QUIET_MS);
    return this.#create();
  }

  /** Of those that wait none is taken. */
  make(): Promise<NetworkSlot> {
    return this.#create();
  }

  /** The bridge was made anew: a slot that waits, or is being made, may hang on the one that is gone. */
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

  /** One at a time: starts of instances come first. */
  #fill(): void {
    if (this.#isFilling) return;
    this.#filling = this.#fillUp().catch((error) => {
      this.#options.logger.warn({ err: error }, 'a network slot could not be made; trying again');
      this.#fillAfter(RETRY_MS);
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
