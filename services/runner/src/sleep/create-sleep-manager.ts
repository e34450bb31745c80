import { settlesWithin } from '@berth/concurrency';
import { dropCache } from '../machine/cgroup/drop-cache.ts';
import type { LastUseFiles } from './last-use-files.ts';
import { reportEveryMs } from './next-step.ts';
import { SleepController, type SleepDependencies } from './sleep-controller.ts';
import type { SandboxActivity, SleepManager } from './sleep-manager.ts';
import { type Admitted, WakeAdmission } from './wake-admission.ts';

export interface SleepManagerOptions extends Omit<SleepDependencies, 'wake'> {
  readonly lastUse: LastUseFiles;
  /** Memory that has to stay free when a sandbox wakes. */
  readonly wakeReserveMb: number;
  readonly freeMemoryMb: () => number;
}

/** Time limit to free memory. After it, callers that wait for a wake get `busy`. */
const freeMemoryTimeoutMs = 3_000;

export function createSleepManager(options: SleepManagerOptions): SleepManager {
  const { lastUse, wakeReserveMb: reserveMb, freeMemoryMb, logger } = options;
  const controllers = new Map<string, SleepController>();
  /** Leases of every instance, also of instances that are not managed yet. */
  const leases = new Map<string, number>();
  /** Sleeping sandboxes whose page cache is already dropped. */
  const emptied = new WeakSet<SleepController>();

  const admission = new WakeAdmission({ reserveMb, freeMemoryMb, freeMemory });
  const deps: SleepDependencies = { ...options, wake, onActivity };

  async function wake(thaw: () => Promise<void>): Promise<Admitted> {
    const admitted = await admission.admit();
    if (admitted.is === 'admitted') await thaw();
    return admitted;
  }

  function onActivity(instance: string, activity: SandboxActivity): void {
    options.onActivity(instance, activity);
    logFailure(instance, lastUse.save(instance, { usedMsAgo: activity.usedMsAgo, wasAsleep: !activity.awake }));
    const controller = controllers.get(instance);
    if (activity.awake && controller !== undefined) emptied.delete(controller);
  }

  function logFailure(instance: string, written: Promise<void>): void {
    written.catch((err: unknown) =>
      logger.warn(
        { err, instance },
        'last use of sandbox could not be saved; after a restart its idle time may be too long',
      ),
    );
  }

  /** Puts the longest idle sandbox to sleep, then drops the page cache of sleeping sandboxes. */
  async function freeMemory(isShort: () => boolean): Promise<void> {
    const giveUpAt = performance.now() + freeMemoryTimeoutMs;
    const goesOn = (): boolean => isShort() && performance.now() < giveUpAt;
    for (const controller of goesOn() ? longestIdle(controllers.values()).slice(0, 1) : [])
      await settlesWithin(freeMemoryTimeoutMs, controller.sleepToFreeMemory());
    for (const controller of controllers.values()) {
      if (!goesOn()) return;
      if (!controller.isAsleep || emptied.has(controller)) continue;
      emptied.add(controller);
      const { containerId: id, pid } = controller.sandbox;
      await dropCache({ id, pid });
    }
  }

  return {
    manage(sandbox) {
      const { instance } = sandbox;
      const known = controllers.get(instance);
      if (known !== undefined) return known.manage(sandbox);
      const { usedMsAgo: noted, wasAsleep } = lastUse.find(instance) ?? { usedMsAgo: 0, wasAsleep: false };
      // While a sandbox is awake its noted use may be `reportEveryMs` too old: expiring late is better than early.
      const usedMsAgo = wasAsleep ? noted : Math.max(0, noted - reportEveryMs);
      controllers.set(instance, new SleepController(sandbox, { usedMsAgo, leases: leases.get(instance) ?? 0 }, deps));
    },
    release: async (instance) => controllers.get(instance)?.release(),
    open: async (instance) => controllers.get(instance)?.open() ?? { is: 'unknown' },
    onLeases(instance, count) {
      if (count === 0) leases.delete(instance);
      else leases.set(instance, count);
      controllers.get(instance)?.countLeases(count);
    },
    wake: async (instance) => controllers.get(instance)?.wake() ?? { call: 'unknown' },
    sleep: async (instance) => controllers.get(instance)?.sleep() ?? { call: 'unknown' },
    forget(instance) {
      controllers.get(instance)?.forget();
      controllers.delete(instance);
      logFailure(instance, lastUse.forget(instance));
    },
    get isPressed() {
      return admission.isShort;
    },
    counts() {
      const asleep = [...controllers.values()].filter(({ isAsleep }) => isAsleep).length;
      return { awake: controllers.size - asleep, asleep };
    },
    async close() {
      await Promise.all([...controllers.values()].map((controller) => controller.close()));
      await lastUse.close();
    },
  };
}

/** Sandboxes that may be put to sleep to free memory, longest idle first. */
const longestIdle = (controllers: Iterable<SleepController>): SleepController[] =>
  [...controllers].filter(({ idleMs }) => idleMs >= 0).toSorted((a, b) => b.idleMs - a.idleMs);
