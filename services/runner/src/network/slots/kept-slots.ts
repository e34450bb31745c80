// Slots that tasks have used, kept for a moment for the next task of the same workspace: creating and removing a slot costs
// more than a short task itself. A slot is never given to another workspace.
import type { Logger } from '@berth/telemetry';
import type { NetworkSlot } from './network-slot.ts';

export interface KeptSlotsOptions {
  readonly logger: Logger;
  /** True when the slot is again as it was created. */
  restore(slot: NetworkSlot): Promise<boolean>;
  remove(slot: NetworkSlot): Promise<void>;
}

/** Time for which a slot waits for the next task. */
const keepMs = 10_000;
const maxKept = 32;

interface Kept {
  readonly workspaceId: string;
  readonly slot: NetworkSlot;
  readonly timer: NodeJS.Timeout;
}

export class KeptSlots {
  readonly #options: KeptSlotsOptions;
  readonly #kept = new Set<Kept>();
  readonly #removals = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: KeptSlotsOptions) {
    this.#options = options;
  }

  /** The caller has removed the container of the last instance in the slot. */
  keep(workspaceId: string, slot: NetworkSlot): void {
    if (this.#isClosed || this.#kept.size >= maxKept) {
      this.#remove(slot);
      return;
    }
    const kept: Kept = {
      workspaceId,
      slot,
      timer: setTimeout(() => {
        this.#kept.delete(kept);
        this.#remove(slot);
      }, keepMs).unref(),
    };
    this.#kept.add(kept);
  }

  async take(workspaceId: string): Promise<NetworkSlot | undefined> {
    for (const kept of this.#kept) {
      if (kept.workspaceId !== workspaceId) continue;
      clearTimeout(kept.timer);
      this.#kept.delete(kept);
      if (await this.#isRestored(kept.slot)) return kept.slot;
      this.#remove(kept.slot);
    }
    return undefined;
  }

  /** Removes all slots, for example because their bridge was recreated. */
  async clear(): Promise<void> {
    for (const { slot, timer } of this.#kept) {
      clearTimeout(timer);
      this.#remove(slot);
    }
    this.#kept.clear();
    await Promise.all(this.#removals);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.clear();
  }

  #isRestored(slot: NetworkSlot): Promise<boolean> {
    return this.#options.restore(slot).catch((err: unknown) => {
      this.#options.logger.info({ err, slot: slot.containerId }, 'kept network slot is not used again');
      return false;
    });
  }

  /** In the background: nothing waits for it. What remains after a failure is removed by the next run of this process. */
  #remove(slot: NetworkSlot): void {
    const removal = this.#options
      .remove(slot)
      .catch((err: unknown) =>
        this.#options.logger.warn({ err, slot: slot.containerId }, 'network slot removal failed'),
      )
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }
}
