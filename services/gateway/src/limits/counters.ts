// All counters of a process.
import { beginCounter, type Counted, type Counter, isChanged } from './counter.ts';

export interface Counters {
  /** Counter of the window at a time of the clock of windows. It is in use from now on. */
  at(counted: Counted, clockMs: number): Counter;
  /** Those to read and write: used lately, or changed since they were written. */
  due(): readonly Counter[];
  /** Forgets windows that are over. What is not written yet stays. */
  forget(clockMs: number): void;
}

/** A limit that had no request for this long is read again with its next one. */
const inUseMs = 10_000;

/** `now` is a monotonic clock. */
export function createCounters(now: () => number, newRunId: () => string): Counters {
  const latest = new Map<string, Counter>();
  /** Of windows before. */
  const ended = new Set<Counter>();
  const isInUse = ({ usedAtMs }: Counter): boolean => now() - usedAtMs < inUseMs;

  function begin(counted: Counted, clockMs: number, key: string): Counter {
    const previous = latest.get(key);
    if (previous !== undefined && isChanged(previous)) ended.add(previous);
    const counter = beginCounter(counted, clockMs, { runId: newRunId(), previous });
    latest.set(key, counter);
    return counter;
  }

  return {
    at(counted, clockMs) {
      const key = `${counted.subject} ${counted.measure}`;
      const known = latest.get(key);
      const isCurrent = known !== undefined && known.window.startMs <= clockMs && clockMs < known.window.endMs;
      const counter = isCurrent ? known : begin(counted, clockMs, key);
      counter.usedAtMs = now();
      return counter;
    },
    due: () => [...ended, ...[...latest.values()].filter((counter) => isChanged(counter) || isInUse(counter))],
    forget(clockMs) {
      for (const counter of ended) if (!isChanged(counter)) ended.delete(counter);
      for (const [key, counter] of latest)
        if (counter.window.endMs <= clockMs && !isChanged(counter) && !isInUse(counter)) latest.delete(key);
    },
  };
}
