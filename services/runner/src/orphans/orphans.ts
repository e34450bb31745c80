// Which instances of this machine are orphans. A runner that meets another epoch than before does not know which instances
// were made after the backup that the deployment was restored from, so it keeps everything that the deployment does not name.
import { Notifier } from '@berth/concurrency';
import type { Orphan } from '@berth/contract/node';
import { readOrphanState, writeOrphanState } from './orphan-file.ts';

export class Orphans {
  readonly #stateFolder: string;
  readonly #orphans: Map<string, Orphan>;
  #epoch: string | undefined;
  /** Epoch of the deployment, while it is not decided yet which instances are orphans. */
  #metEpoch: string | undefined;
  /** Notified when the list has changed. */
  readonly changed = new Notifier();

  constructor(stateFolder: string) {
    const { epoch, orphans } = readOrphanState(stateFolder);
    this.#stateFolder = stateFolder;
    this.#epoch = epoch;
    this.#orphans = new Map(orphans.map((orphan) => [orphan.instance, orphan]));
  }

  /** The epoch that the deployment tells at the start of a stream. A runner that knows none takes it. */
  meet(epoch: string): void {
    this.#metEpoch = epoch === this.#epoch ? undefined : epoch;
    if (this.#epoch !== undefined || this.#metEpoch === undefined) return;
    this.#save(epoch, []);
  }

  /** While it is set, no instance is removed that the deployment does not name. */
  get undecidedEpoch(): string | undefined {
    return this.#metEpoch;
  }

  has(instance: string): boolean {
    return this.#orphans.has(instance);
  }

  list(): Orphan[] {
    return [...this.#orphans.values()];
  }

  /** These are the orphans from now on. */
  decide(orphans: readonly Orphan[]): void {
    if (this.#metEpoch !== undefined) this.#save(this.#metEpoch, orphans);
  }

  /** Nothing of it is left, or the deployment names it again. */
  drop(instance: string): void {
    if (this.#epoch === undefined || !this.#orphans.has(instance)) return;
    this.#save(
      this.#epoch,
      this.list().filter((orphan) => orphan.instance !== instance),
    );
  }

  /** Saved first: if that fails, nothing has changed. */
  #save(epoch: string, orphans: readonly Orphan[]): void {
    writeOrphanState(this.#stateFolder, { epoch, orphans: [...orphans] });
    this.#epoch = epoch;
    this.#metEpoch = undefined;
    this.#orphans.clear();
    for (const orphan of orphans) this.#orphans.set(orphan.instance, orphan);
    this.changed.notify();
  }
}
