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
    return this.#options.create();
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
      while (!this.#closed && this.#ready.length < this.#options.size) this.#ready.push(await this.#options.create());
    } finally {
      this.#isFilling = false;
    }
  }
}
