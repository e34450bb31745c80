import { within } from '@berth/pace';
import { dropCache } from '../machine/cgroup/drop-cache.ts';
import type { SandboxKeeper, SandboxNews } from './keeper.ts';
import { type KeepingTools, KeptSandbox } from './kept-sandbox.ts';
import type { LastUseBook } from './last-use-book.ts';
import { tellEveryMs } from './next-step.ts';
import { type Admitted, WakeAdmission } from './wake-admission.ts';

export interface KeeperOptions extends Omit<KeepingTools, 'wake'> {
  readonly lastUse: LastUseBook;
  /** Memory that has to stay free when a sandbox wakes. */
  readonly wakeReserveMb: number;
  readonly freeMemoryMb: () => number;
}

/** Time limit to free memory. After it, callers that wait for a wake get `busy`. */
const relieveMs = 3_000;

export function createKeeper(options: KeeperOptions): SandboxKeeper {
  const { lastUse, wakeReserveMb: reserveMb, freeMemoryMb, logger } = options;
  const kept = new Map<string, KeptSandbox>();
  /** Leases of every instance, also of instances that are not kept yet. */
  const leases = new Map<string, number>();
  /** Sleeping sandboxes whose page cache is already dropped. */
  const emptied = new WeakSet<KeptSandbox>();

  const admission = new WakeAdmission({ reserveMb, freeMemoryMb, relieve });
  const tools: KeepingTools = { ...options, wake, onNews };

  async function wake(thaw: () => Promise<void>): Promise<Admitted> {
    const admitted = await admission.admit();
    if (admitted.is === 'admitted') await thaw();
    return admitted;
  }

  function onNews(instance: string, news: SandboxNews): void {
    options.onNews(instance, news);
    note(instance, lastUse.save(instance, { usedMsAgo: news.usedMsAgo, wasAsleep: !news.awake }));
    const sandbox = kept.get(instance);
    if (news.awake && sandbox !== undefined) emptied.delete(sandbox);
  }

  function note(instance: string, noted: Promise<void>): void {
    noted.catch((err: unknown) => logger.warn({ err, instance }, 'when a sandbox was last used could not be noted'));
  }

  /** Puts the longest idle sandbox to sleep, then drops the page cache of sleeping sandboxes. */
  async function relieve(isShort: () => boolean): Promise<void> {
    const giveUpAt = performance.now() + relieveMs;
    const goesOn = (): boolean => isShort() && performance.now() < giveUpAt;
    for (const sandbox of goesOn() ? longestIdle(kept.values()).slice(0, 1) : [])
      await within(relieveMs, sandbox.hurry());
    for (const sandbox of kept.values()) {
      if (!goesOn()) return;
      if (!sandbox.isAsleep || emptied.has(sandbox)) continue;
      emptied.add(sandbox);
      await dropCache({ id: sandbox.sandbox.containerId, pid: sandbox.sandbox.pid });
    }
  }

  return {
    keep(sandbox) {
      const { instance } = sandbox;
      const known = kept.get(instance);
      if (known !== undefined) return known.keep(sandbox);
      const { usedMsAgo: noted, wasAsleep } = lastUse.find(instance) ?? { usedMsAgo: 0, wasAsleep: false };
      // While a sandbox is awake its noted use may be `tellEveryMs` too old: expiring late is better than early.
      const usedMsAgo = wasAsleep ? noted : Math.max(0, noted - tellEveryMs);
      kept.set(instance, new KeptSandbox(sandbox, { usedMsAgo, leases: leases.get(instance) ?? 0 }, tools));
    },
    release: async (instance) => kept.get(instance)?.release(),
    open: async (instance) => kept.get(instance)?.open() ?? { is: 'unknown' },
    onLeases(instance, count) {
      if (count === 0) leases.delete(instance);
      else leases.set(instance, count);
      kept.get(instance)?.countLeases(count);
    },
    wake: async (instance) => kept.get(instance)?.wake() ?? { call: 'unknown' },
    sleep: async (instance) => kept.get(instance)?.sleep() ?? { call: 'unknown' },
    forget(instance) {
      kept.get(instance)?.forget();
      kept.delete(instance);
      note(instance, lastUse.forget(instance));
    },
    get isPressed() {
      return admission.isShort;
    },
    counts() {
      const asleep = [...kept.values()].filter(({ isAsleep }) => isAsleep).length;
      return { awake: kept.size - asleep, asleep };
    },
    async close() {
      await Promise.all([...kept.values()].map((sandbox) => sandbox.close()));
      await lastUse.close();
    },
  };
}

/** Sandboxes that may be put to sleep to free memory, longest idle first. */
const longestIdle = (kept: Iterable<KeptSandbox>): KeptSandbox[] =>
  [...kept].filter(({ idleMs }) => idleMs >= 0).toSorted((a, b) => b.idleMs - a.idleMs);
