// A model of a resource with its revisions, instances and events, as the api, the runners and the orchestrator change
// them, for tests of the plan. It checks the invariants at every step.
import assert from 'node:assert/strict';
import { mayFollow } from '@berth/contract';
import type {
  DeploymentAction,
  DeploymentRecord,
  ObservedDeployment,
  ObservedInstance,
  ObservedRevision,
} from '../../src/deployments/observed.ts';
import { planDeployment } from '../../src/deployments/plan.ts';
import type { StatusEvent } from '../../src/run/status-event.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Instance = Mutable<ObservedInstance>;

export const scaling = { requestsPerInstance: 10, idleMs: 60_000 };
export const maxInstances = 5;

/** The resource as the api and the orchestrator store it, without the services around it. */
export class World {
  now = 1_000_000;
  status = 'DEPLOYING';
  generation = 1;
  isEnabled = true;
  chosen: string | undefined;
  canary: string | undefined;
  canaryPercent = 10;
  /** Demand as gateways report it. */
  demand: { requests: number; until: number } = { requests: 0, until: 0 };
  record: DeploymentRecord = {};
  isRemoved = false;
  /** Runners have room. */
  hasRoom = true;
  revisions: Mutable<ObservedRevision>[] = [];
  instances: Instance[] = [];
  events: { type: string; status: string; message?: string | undefined; revision?: string | undefined }[] = [];
  #made = 0;

  constructor(minInstances: number) {
    this.#addRevision(minInstances, 'DEPLOYING');
    this.events.push({ type: 'deployment', status: 'DEPLOYING', message: 'Waiting for a runner.' });
  }

  get live(): Instance[] {
    return this.instances.filter(({ endedAt }) => endedAt === undefined);
  }

  get running(): Instance[] {
    return this.live.filter(({ desired }) => desired === 'running');
  }

  get target(): string | undefined {
    return this.revisions.some(({ id }) => id === this.chosen) ? this.chosen : this.revisions[0]?.id;
  }

  #addRevision(minInstances: number, status: string): void {
    this.#made += 1;
    this.revisions.unshift({ id: `rev-${this.#made}`, status, minInstances, maxInstances });
  }

  // Writes of the api.

  deploy(minInstances: number): void {
    if (this.isRemoved || this.status === 'DELETING') return;
    const wasNewest = this.chosen === this.revisions[0]?.id;
    this.#announce();
    this.#addRevision(minInstances, this.status);
    if (wasNewest && this.chosen !== undefined) this.chosen = this.revisions[0]?.id;
    const kept = new Set([this.chosen, this.canary, ...this.live.map(({ revision }) => revision)]);
    this.revisions = this.revisions.filter(({ id }, index) => index < 5 || kept.has(id));
  }

  switchOn(isEnabled: boolean): void {
    if (this.isRemoved || this.status === 'DELETING' || isEnabled === this.isEnabled) return;
    this.isEnabled = isEnabled;
    this.#announce();
  }

  choose(role: 'chosen' | 'canary', index: number | undefined): void {
    if (this.isRemoved || this.status === 'DELETING') return;
    const id = index === undefined ? undefined : this.revisions[index % this.revisions.length]?.id;
    if (id === this[role]) return;
    this[role] = id;
    this.generation += 1;
  }

  delete(): void {
    if (this.isRemoved || this.status === 'DELETING') return;
    this.generation += 1;
    if (this.live.length === 0) this.isRemoved = true;
    else this.#changeStatus({ type: 'deactivation', status: 'DELETING', message: 'Deleted on request.' });
  }

  #announce(): void {
    this.generation += 1;
    const stopped = this.live.length > 0 ? 'DEACTIVATING' : 'DEACTIVATED';
    const status = this.isEnabled ? 'DEPLOYING' : stopped;
    // The api does not announce DEACTIVATED a second time when a disabled resource is redeployed.
    if (mayFollow(this.status, status))
      this.#changeStatus({ type: 'deployment', status, message: 'Waiting for a runner.' });
    else this.status = 'DEACTIVATED';
  }

  // Reports of runners.

  report(index: number, state: 'pulling' | 'starting' | 'ready' | 'failed' | 'gone' | 'lost', message?: string): void {
    const instance = this.live[index % Math.max(1, this.live.length)];
    if (instance === undefined || (state === 'gone' && instance.desired === 'running')) return;
    instance.state = state;
    instance.message = message;
    if (state === 'ready') instance.readyAt ??= this.now;
    if (state === 'failed') instance.failedAt = this.now;
    if (state === 'lost') instance.desired = 'gone';
    if (state === 'gone' || state === 'lost') instance.endedAt = this.now;
  }

  // Reports of gateways.

  ask(requests: number, forMs: number): void {
    this.demand = { requests, until: this.now + forMs };
  }

  makeRoom(hasRoom: boolean): void {
    this.hasRoom = hasRoom;
  }

  pass(ms: number): void {
    this.now += ms;
  }

  // Actions of the orchestrator.

  observe(): ObservedDeployment {
    const { now, status, generation, isEnabled, chosen, canary, canaryPercent, record, revisions, instances } = this;
    const { requests, until } = this.demand;
    return {
      ...{ now, status, generation, isEnabled, chosen, canary, canaryPercent, record, revisions, instances },
      demand: requests > 0 && until > now ? { requests, until } : { requests: 0 },
      scaling,
      newestEvent: this.events.at(-1),
    };
  }

  reconcile(): readonly DeploymentAction[] {
    if (this.isRemoved) {
      for (const instance of this.running) instance.desired = 'gone';
      return [];
    }
    const actions = planDeployment(structuredClone(this.observe()));
    const hasUnplaced = actions.some((action) => action.do === 'start') && !this.hasRoom;
    for (const action of actions) if (action.do !== 'add-event' || !hasUnplaced) this.#apply(action);
    this.now += 1;
    return actions;
  }

  #apply(action: DeploymentAction): void {
    if (action.do === 'start' && this.hasRoom) {
      for (let n = 0; n < action.count; n += 1) {
        this.#made += 1;
        const id = `instance-${String(this.#made).padStart(6, '0')}`;
        this.instances.push({
          id,
          revision: action.revision,
          desired: 'running',
          state: 'placed',
          createdAt: this.now,
        });
      }
    }
    if (action.do === 'retire') {
      for (const instance of this.live) if (action.instances.includes(instance.id)) instance.desired = action.desired;
    }
    if (action.do === 'mark-revision') {
      for (const revision of this.revisions) if (revision.id === action.revision) revision.status = action.status;
    }
    if (action.do === 'store-record') this.record = action.record;
    if (action.do === 'change-status') this.#changeStatus(action.event);
    if (action.do === 'add-event') {
      assert.equal(action.event.status, this.status);
      assert.notEqual(action.event.message, this.events.at(-1)?.message);
      this.#changeStatus(action.event);
    }
    if (action.do === 'remove') {
      assert.equal(this.status, 'DELETING');
      assert.equal(this.live.length, 0);
      this.isRemoved = true;
    }
  }

  #changeStatus(event: Omit<StatusEvent, 'type'> & { type: string }): void {
    assert.ok(mayFollow(this.status, event.status), `${event.status} after ${this.status}`);
    this.status = event.status;
    this.events.push(event);
  }

  /** Lets time pass, with room; every instance starts and every retired one goes, until nothing changes any more. */
  runUntilStable(): void {
    this.hasRoom = true;
    for (let round = 0; round < 100; round += 1) {
      const before = JSON.stringify(this);
      const actions = this.reconcile();
      for (const instance of this.live) {
        const index = this.live.indexOf(instance);
        if (instance.desired !== 'running') this.report(index, 'gone');
        else if (instance.state !== 'ready' && instance.state !== 'failed') this.report(index, 'ready');
      }
      const due = actions.flatMap((action) => (action.do === 'set-timer' ? [action.at] : []));
      if (due.length > 0) this.now = Math.max(this.now, ...due);
      const after = JSON.stringify({ ...this, now: JSON.parse(before).now });
      if (after === before && due.length === 0) return;
    }
    throw new Error(`Does not become stable: ${JSON.stringify(this, null, 1)}`);
  }
}
