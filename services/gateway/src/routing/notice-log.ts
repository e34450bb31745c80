import { BoundedMap } from '@berth/concurrency';

const maxEntries = 10_000;

export type NoticeLog = ReturnType<typeof createNoticeLog>;

/** Numbers notices in order of arrival, to distinguish results from before and after a notice. */
export function createNoticeLog() {
  const changed = new BoundedMap<number>(maxEntries);
  const waiting = new Map<string, Set<() => void>>();
  let count = 0;
  let everything = 0;
  return {
    record(uid: string): void {
      count += 1;
      if (uid === '') everything = count;
      else changed.set(uid, count);
      const woken = uid === '' ? [...waiting.values()] : [waiting.get(uid) ?? []];
      for (const wake of woken.flatMap((each) => [...each])) wake();
    },
    nextChange(uid: string, maxMs: number): Promise<void> {
      return new Promise((resolve) => {
        const own = waiting.get(uid) ?? new Set();
        waiting.set(uid, own);
        const wake = (): void => {
          clearTimeout(timer);
          own.delete(wake);
          if (own.size === 0 && waiting.get(uid) === own) waiting.delete(uid);
          resolve();
        };
        const timer = setTimeout(wake, maxMs);
        own.add(wake);
      });
    },
    count: () => count,
    /** For an unknown resource every notice counts: it may announce the creation of that resource. */
    isSince: (seen: number, uid: string | undefined): boolean =>
      uid === undefined ? count > seen : everything > seen || (changed.get(uid) ?? 0) > seen,
  };
}
