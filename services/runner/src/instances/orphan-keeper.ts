// Turns instances that the deployment does not name into orphans when it has another epoch, and back.
import type { ContainerState } from '../driver/driver.ts';
import {
  freezeOrphan,
  instanceOf,
  type OrphanContainers,
  orphansAmong,
  thawOrphan,
} from '../orphans/orphan-containers.ts';
import type { WorkerDependencies } from './worker-dependencies.ts';

export class OrphanKeeper {
  readonly #deps: WorkerDependencies;
  readonly #containers: OrphanContainers;
  /** What the newest full list named, and the epoch that was undecided when it came. */
  #named: { readonly epoch: string | undefined; readonly ids: Set<string> } = { epoch: undefined, ids: new Set() };
  #areFrozen = false;

  constructor(deps: WorkerDependencies) {
    const { driver, runnerId, logger, sandboxes } = deps;
    this.#deps = deps;
    this.#containers = { driver, runnerId, logger, freezer: sandboxes.freezer };
  }

  /** A full list has come: the deployment names these, and no others. */
  nameAll(ids: Iterable<string>): void {
    this.#named = { epoch: this.#deps.orphans.undecidedEpoch, ids: new Set(ids) };
  }

  /** The deployment names one more. It matters only until the orphans are decided. */
  name(instance: string): void {
    if (this.#isUndecided) this.#named.ids.add(instance);
  }

  isNamed(instance: string): boolean {
    return this.#named.ids.has(instance);
  }

  get #isUndecided(): boolean {
    return this.#deps.orphans.undecidedEpoch !== undefined;
  }

  /** False until a full list of the new epoch has come: that of the epoch before tells nothing about orphans. */
  get canDecide(): boolean {
    return this.#isUndecided && this.#named.epoch === this.#deps.orphans.undecidedEpoch;
  }

  /** True for an instance that must not be removed, although the deployment does not name it. */
  keeps(instance: string): boolean {
    return this.#isUndecided || this.#deps.orphans.has(instance);
  }

  isOrphan(instance: string): boolean {
    return this.#deps.orphans.has(instance);
  }

  /** `found` are all containers of this runner. Nothing may work on those that are not named. */
  decide(found: readonly ContainerState[]): void {
    const { orphans, sandboxes, logger } = this.#deps;
    const { epoch, ids } = this.#named;
    if (epoch === undefined || epoch !== orphans.undecidedEpoch) return;
    orphans.decide(orphansAmong(found, ids, sandboxes.adopted));
    this.#areFrozen = false;
    const count = orphans.list().length;
    logger.warn(
      { event: 'runner.orphans', count },
      'the deployment has another epoch: it was restored; instances that it does not know are kept until the operator orders their removal with berth-server orphans',
    );
  }

  /** After a decision, and after a start: the process before may have ended in between. */
  async freeze(found: readonly ContainerState[], isBeingRemoved: (instance: string) => boolean): Promise<void> {
    if (this.#areFrozen) return;
    this.#areFrozen = true;
    for (const container of found) {
      const instance = instanceOf(container);
      if (instance !== undefined && this.isOrphan(instance) && !isBeingRemoved(instance))
        await this.#freeze(instance, container);
    }
  }

  /** Connections are cut first: an orphan takes none, and the sleep manager would wake it for them. */
  async #freeze(instance: string, container: ContainerState): Promise<void> {
    const { leases, disk, meter, sandboxes } = this.#deps;
    leases?.cut(instance);
    sandboxes.sleep.forget(instance);
    disk?.forget(instance);
    meter?.end(instance);
    await freezeOrphan(container, this.#containers);
  }

  /** Its container can end or go on afterwards. */
  thaw(instance: string): Promise<void> {
    return thawOrphan(instance, this.#containers);
  }

  /** Nothing of it is left, or the deployment names it again. */
  drop(instance: string): void {
    this.#deps.orphans.drop(instance);
  }
}
