// Reconciles the container engine with the instances that the api wants on this runner. Until the api has sent its full
// list, containers of an earlier run stay untouched: an api outage must never end a running instance.

import { backoffMs, Condition, pause, settlesWithin } from '@berth/concurrency';
import type { DesiredInstance, RunnerCallAnswer } from '@berth/contract/node';
import { containerLabels } from '../driver/driver.ts';
import type { Failure } from '../failures/failure.ts';
import type { Admission, Endpoints } from '../ingress/endpoint.ts';
import type { DesiredStateListener } from '../node/node-link.ts';
import { createWorker } from './create-worker.ts';
import { OrphanKeeper } from './orphan-keeper.ts';
import { RefusalNotes } from './refusal-notes.ts';
import type { Worker } from './worker.ts';
import type { WorkerDependencies } from './worker-dependencies.ts';

const resyncMs = 120_000;
const verifyMs = 10_000;
const stopMs = 20_000;
/** `open` waits this long for the api's first full list; after that the caller has to retry. */
const firstListMs = 10_000;
const retryMs = { first: 100, max: 5_000 };

export class Converger implements DesiredStateListener, Endpoints {
  readonly #deps: WorkerDependencies;
  readonly #workers = new Map<string, { readonly worker: Worker; readonly ended: Promise<void> }>();
  readonly #closing = new AbortController();
  readonly #background: Promise<void>[] = [];
  readonly #listArrived = new Condition();
  readonly #refusals: RefusalNotes;
  readonly #orphans: OrphanKeeper;
  #hasFullList = false;
  #isNetworkHealthy = false;
  /** Workers wait for the first successful network check before they start containers. */
  #openNetwork: () => void = () => {};
  readonly #networkOpened = new Promise<void>((resolve) => {
    this.#openNetwork = resolve;
  });

  constructor(deps: WorkerDependencies) {
    this.#deps = deps;
    this.#refusals = new RefusalNotes(deps.output);
    this.#orphans = new OrphanKeeper(deps);
  }

  get isNetworkHealthy(): boolean {
    return this.#isNetworkHealthy;
  }

  get count(): number {
    return this.#workers.size;
  }

  /** Right after a start of the runner, running instances are unknown until the api has sent its full list. */
  async open(instance: string): Promise<Admission> {
    await this.#listArrived.until(() => this.#hasFullList, firstListMs);
    return (await this.#workers.get(instance)?.worker.open()) ?? { is: 'unknown' };
  }

  start(): void {
    this.#background.push(this.#watchEngine(), this.#verifyNetworkForever(), this.#resyncForever());
  }

  all({ instances, leaving, gone }: Parameters<DesiredStateListener['all']>[0]): void {
    const wanted = new Map(instances.map((instance) => [instance.id, instance]));
    this.#orphans.nameAll([...wanted.keys(), ...leaving, ...gone]);
    this.#hasFullList = true;
    this.#listArrived.changed();
    const { failures, tasks, output, sandboxes, meter } = this.#deps;
    // Notes of an earlier run about other instances are cleared together with their containers.
    const others = new Set([
      ...[...leaving, ...gone],
      ...[...this.#workers.keys(), ...failures.instances(), ...output.instances()],
      ...[...tasks.instances(), ...sandboxes.adopted.instances(), ...(meter?.instances() ?? [])],
    ]);
    for (const instance of instances) this.#setDesired(instance, false);
    for (const id of others)
      if (!wanted.has(id) && (this.#orphans.isNamed(id) || !this.#orphans.keeps(id)))
        this.unset(id, leaving.includes(id));
    void this.#resync();
  }

  set(instance: DesiredInstance): void {
    this.#orphans.name(instance.id);
    this.#setDesired(instance, instance.generation === 1);
  }

  /** Applies the change at once instead of waiting for the node stream. If this fails, the stream repairs it. */
  async adopt(desired: DesiredInstance): Promise<RunnerCallAnswer> {
    const known = this.#workers.get(desired.id);
    this.#deps.bringUps.noteActivity();
    return known === undefined ? { call: 'unknown' } : known.worker.adopt(desired);
  }

  /** Ends an instance that breaks a rule of this machine. */
  giveUp(id: string, failure: Failure): void {
    void this.#workers.get(id)?.worker.giveUp(failure);
  }

  /** Each stays an orphan until nothing of it is left. After a failure the api names it again in the next stream. */
  discard(ids: readonly string[]): void {
    for (const id of ids)
      if (this.#orphans.isOrphan(id) && !this.#workers.has(id))
        this.#afterThaw(id, () => {
          if (!this.#workers.has(id)) this.#addWorker(id, undefined);
        });
  }

  /** The deployment names the orphan again, for example after the restore of a newer backup. */
  #readopt(id: string, then: () => void): void {
    this.#afterThaw(id, () => {
      this.#orphans.drop(id);
      then();
    });
  }

  #afterThaw(id: string, then: () => void): void {
    this.#orphans
      .thaw(id)
      .then(then)
      .catch((err: unknown) => {
        this.#deps.logger.warn({ err, instance: id }, 'thaw of orphan failed; it stays an orphan');
      });
  }

  #setDesired(instance: DesiredInstance, isFresh: boolean): void {
    if (this.#orphans.isOrphan(instance.id)) {
      this.#readopt(instance.id, () => this.#setDesired(instance, isFresh));
      return;
    }
    const known = this.#workers.get(instance.id);
    if (known === undefined) this.#addWorker(instance.id, instance, isFresh);
    else known.worker.setDesired(instance);
  }

  /** Also for an unknown instance: its worker has no desired state, finds no container and reports `gone`. */
  unset(id: string, isLeaving: boolean): void {
    if (this.#orphans.isOrphan(id)) {
      this.#readopt(id, () => this.unset(id, isLeaving));
      return;
    }
    if (!this.#workers.has(id)) this.#addWorker(id, undefined);
    this.#workers.get(id)?.worker.retire(isLeaving);
  }

  /** Finishes the work in progress. Containers keep running without the runner. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#openNetwork();
    for (const { worker } of this.#workers.values()) worker.close();
    const ended = Promise.all([...[...this.#workers.values()].map((each) => each.ended), ...this.#background]);
    if (!(await settlesWithin(stopMs, ended)))
      this.#deps.logger.warn('runner stopped before all work was done; the next start finishes it');
  }

  #addWorker(id: string, desired: DesiredInstance | undefined, isFresh = false): void {
    const worker = createWorker(id, desired, isFresh, this.#deps);
    const work = async (): Promise<void> => {
      await this.#networkOpened;
      if (this.#closing.signal.aborted) return;
      await worker.run(() => {
        this.#orphans.drop(id);
        this.#workers.delete(id);
      });
    };
    this.#workers.set(id, { worker, ended: work() });
  }

  /** Finds containers with our label that have no worker and re-checks every instance. Other containers are ignored. */
  async #resync(): Promise<void> {
    if (!this.#hasFullList) return;
    const { driver, runnerId, logger } = this.#deps;
    try {
      if (this.#orphans.canDecide) await this.#decideOrphans();
      const found = await driver.list({ name: containerLabels.runner, value: runnerId });
      for (const { labels } of found) {
        const id = labels[containerLabels.instance];
        if (id !== undefined && !this.#workers.has(id) && !this.#orphans.keeps(id)) this.#addWorker(id, undefined);
      }
      await this.#orphans.freeze(found, (id) => this.#workers.has(id));
    } catch (err) {
      logger.warn({ err }, 'list of containers failed; retrying at the next resync');
    }
    for (const { worker } of this.#workers.values()) worker.recheck();
  }

  /**
   * Ends the workers of instances that the api does not name before it looks for their containers: one that creates a
   * container meanwhile would make an orphan that nothing knows.
   */
  async #decideOrphans(): Promise<void> {
    const { driver, runnerId } = this.#deps;
    const unknown = [...this.#workers].filter(([id]) => !this.#orphans.isNamed(id));
    for (const [id, { worker }] of unknown) {
      worker.close();
      this.#workers.delete(id);
    }
    await Promise.all(unknown.map(([, { ended }]) => ended));
    this.#orphans.decide(await driver.list({ name: containerLabels.runner, value: runnerId }));
    // Without a container there is nothing to keep.
    for (const [id] of unknown) if (!this.#orphans.isNamed(id) && !this.#orphans.keeps(id)) this.unset(id, false);
  }

  async #resyncForever(): Promise<void> {
    const { signal } = this.#closing;
    for (await pause(resyncMs, signal); !signal.aborted; await pause(resyncMs, signal)) await this.#resync();
  }

  /** Engine events wake a worker at once; the resync would notice the change minutes later. */
  async #watchEngine(): Promise<void> {
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      try {
        for await (const { labels } of this.#deps.driver.events(signal)) {
          failures = 0;
          const id = labels[containerLabels.instance];
          if (id !== undefined) this.#workers.get(id)?.worker.recheck();
        }
      } catch (err) {
        if (!signal.aborted) this.#deps.logger.warn({ err }, 'event stream of the engine broke; reconnecting');
      }
      failures += 1;
      await pause(backoffMs(failures, retryMs.first, retryMs.max, Math.random), signal);
      if (!signal.aborted) await this.#resync();
    }
  }

  async #verifyNetworkForever(): Promise<void> {
    const { network, logger } = this.#deps;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        const mended = await network.verify();
        if (mended.length > 0) logger.warn({ mended }, 'network differed from its rules; repaired');
        this.#isNetworkHealthy = true;
        this.#openNetwork();
      } catch (err) {
        this.#isNetworkHealthy = false;
        logger.error({ err }, 'network check failed; retrying');
      }
      await this.#noteRefusals();
      await pause(verifyMs, signal);
    }
  }

  /**
   * Writes to the output of instances which network limits they met. A failure here must not stop the network check.
   */
  async #noteRefusals(): Promise<void> {
    const { network, logger } = this.#deps;
    const instanceAt = (address: string): string | undefined =>
      [...this.#workers].find(([, { worker }]) => worker.address === address)?.[0];
    try {
      this.#refusals.note(await network.refused(), instanceAt);
    } catch (err) {
      logger.warn({ err }, 'network limits that instances met could not be noted; retrying');
    }
  }
}
