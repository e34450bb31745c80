// A model of a sandbox with its instances and events, as the api, its runner and the orchestrator change them, for
// tests of the plan. It checks the invariants at every step.
import assert from 'node:assert/strict';
import { mayFollow } from '@berth/contract';
import type { StatusEvent } from '../run/status-event.ts';
import type { ObservedSandbox, SandboxAction, SandboxInstance } from './observed.ts';
import { planSandbox } from './plan.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export const lostAfterMs = 60_000;

export class SandboxWorld {
  now = 1_000_000;
  status = 'DEPLOYING';
  isTerminated = false;
  isEnabled = true;
  boot = 1;
  settledBoot = 0;
  expiresAt: number | undefined;
  fault: string | undefined;
  hasRoom = true;
  instances: Mutable<SandboxInstance>[] = [];
  events: { type: string; status: string; message: string }[] = [];
  /** Boots whose instance was ready, so that it may hold its owner's data. */
  readonly used = new Set<string>();
  /** Times at which the plan wants to run again. */
  armed: number[] = [];
  #made = 0;

  /** A claimed warm sandbox is ready from the first moment, before any reconcile. */
  static claimed(): SandboxWorld {
    const world = new SandboxWorld();
    world.#start();
    world.report('ready', 'Up.');
    world.#changeStatus({ type: 'deployment', status: 'DEPLOYED', message: 'Ready.' });
    return world;
  }

  get running(): Mutable<SandboxInstance>[] {
    return this.instances.filter(({ endedAt, desired }) => endedAt === undefined && desired === 'running');
  }

  get live(): Mutable<SandboxInstance>[] {
    return this.instances.filter(({ endedAt }) => endedAt === undefined);
  }

  // Writes of the api.

  restart(): void {
    if (this.isTerminated) return;
    this.boot += 1;
    if (this.isEnabled) this.#changeStatus({ type: 'deployment', status: 'DEPLOYING', message: 'Begins anew.' });
  }

  switchOn(isEnabled: boolean): void {
    if (this.isTerminated || isEnabled === this.isEnabled) return;
    this.isEnabled = isEnabled;
    const status = isEnabled ? 'DEPLOYING' : 'DEACTIVATED';
    this.#changeStatus({ type: 'deployment', status, message: 'Switched.' });
  }

  setExpiry(afterMs: number | undefined): void {
    if (!this.isTerminated) this.expiresAt = afterMs === undefined ? undefined : this.now + afterMs;
  }

  delete(): void {
    if (this.isTerminated) return;
    this.#end({ type: 'deletion', message: 'Deleted on request.' });
  }

  // Reports of the runner, and changes of the runner itself.

  report(state: 'pulling' | 'starting' | 'ready' | 'failed' | 'gone', message: string): void {
    const [instance] = this.live;
    if (instance === undefined || instance.runnerLostSince !== undefined) return;
    if (state === 'gone' && instance.desired === 'running') return;
    instance.state = state;
    instance.message = message;
    if (state === 'ready') {
      instance.readyAt ??= this.now;
      this.used.add(instance.boot);
    }
    if (state === 'gone') instance.endedAt = this.now;
  }

  reportUnused(): void {
    for (const instance of this.running) if (instance.state === 'ready') instance.isExpired = true;
  }

  /** The runner is lost: instances that were never ready, or are retired, end at once. */
  runnerLeaves(): void {
    for (const instance of this.live) {
      if (instance.readyAt === undefined || instance.desired !== 'running') {
        Object.assign(instance, { state: 'lost', desired: 'gone', endedAt: this.now });
      } else instance.runnerLostSince ??= this.now;
    }
  }

  runnerReturns(): void {
    for (const instance of this.live) instance.runnerLostSince = undefined;
  }

  /** The rows of its instances are deleted; only `settledBoot` keeps that they existed. */
  runnerIsRemoved(): void {
    if (this.live.some(({ runnerLostSince }) => runnerLostSince === undefined)) return;
    for (const { boot, readyAt } of this.instances) {
      if (readyAt !== undefined) this.settledBoot = Math.max(this.settledBoot, Number(boot.slice('boot-'.length)));
    }
    this.instances = [];
  }

  makeRoom(hasRoom: boolean): void {
    this.hasRoom = hasRoom;
  }

  pass(ms: number): void {
    this.now += ms;
  }

  // Actions of the orchestrator.

  observe(): ObservedSandbox {
    const { now, status, isTerminated, isEnabled, boot, settledBoot, expiresAt, fault, instances } = this;
    return {
      ...{ now, status, isTerminated, isEnabled, settledBoot, expiresAt, fault, instances, lostAfterMs },
      boot: { id: `boot-${boot}`, number: boot },
      expiryMessages: { clock: 'It was to live so long.', idle: 'Nobody has used it.' },
      newestEvent: this.events.at(-1),
    };
  }

  reconcile(): readonly SandboxAction[] {
    const actions = planSandbox(structuredClone(this.observe()));
    for (const action of actions) this.#apply(action);
    assert.ok(this.running.length <= 1, 'two that should run');
    this.now += 1;
    return actions;
  }

  #apply(action: SandboxAction): void {
    if (action.do === 'start') this.#start();
    if (action.do === 'retire') {
      for (const instance of this.live) if (action.instances.includes(instance.id)) instance.desired = 'gone';
    }
    if (action.do === 'end-lost') this.#endLost(action.instance, action.message);
    if (action.do === 'record-boot') {
      assert.ok(action.boot > this.settledBoot);
      this.settledBoot = action.boot;
    }
    if (action.do === 'change-status') this.#changeStatus(action.event);
    if (action.do === 'add-event') {
      assert.equal(action.event.status, this.status);
      assert.notEqual(action.event.message, this.events.at(-1)?.message);
      this.#changeStatus(action.event);
    }
    if (action.do === 'terminate') this.#end(action);
    if (action.do === 'set-timer') {
      assert.ok(action.at > this.now);
      this.armed.push(action.at);
    }
  }

  #endLost(id: string, message: string): void {
    const instance = this.live.find((each) => each.id === id);
    assert.notEqual(instance?.runnerLostSince, undefined);
    Object.assign(instance ?? {}, { state: 'lost', desired: 'gone', endedAt: this.now, message });
  }

  #start(): void {
    if (!this.hasRoom) return;
    const boot = `boot-${this.boot}`;
    assert.ok(!this.used.has(boot), 'an empty one in place of one that was used');
    assert.equal(this.running.length, 0, 'a second one beside a live one');
    this.#made += 1;
    this.instances.push({
      id: `instance-${this.#made}`,
      boot,
      isolation: 'runc',
      desired: 'running',
      state: 'placed',
      isExpired: false,
    });
  }

  #end({ type, message }: { type: string; message: string }): void {
    assert.ok(!this.isTerminated, 'ended twice');
    this.#changeStatus({ type, status: 'TERMINATED', message });
    this.isTerminated = true;
    for (const instance of this.live) instance.desired = 'gone';
  }

  #changeStatus(event: Omit<StatusEvent, 'type'> & { type: string }): void {
    assert.ok(!this.isTerminated, 'a word after the end');
    assert.ok(mayFollow(this.status, event.status), `${event.status} after ${this.status}`);
    this.status = event.status;
    this.events.push(event);
  }

  /** Reconciles with a runner that is up, has room and carries everything out, until nothing changes any more. */
  runUntilStable(): void {
    this.hasRoom = true;
    this.runnerReturns();
    for (let round = 0; round < 50; round += 1) {
      const before = JSON.stringify({ ...this, now: 0, armed: [] });
      this.reconcile();
      for (const instance of this.live) {
        if (instance.desired !== 'running') Object.assign(instance, { state: 'gone', endedAt: this.now });
        else if (instance.state !== 'failed') this.report('ready', 'Up.');
      }
      if (JSON.stringify({ ...this, now: 0, armed: [] }) === before) return;
    }
    throw new Error(`Does not become stable: ${JSON.stringify(this, null, 1)}`);
  }
}
