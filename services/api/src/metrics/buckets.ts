// Buckets of a window: whole hours, days, weeks from Monday, or months, all in UTC. Pure.
import type { MetricsResolution } from '@berth/contract';
import type { MetricsWindow } from './window.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;
/** 1970 began on a Thursday. */
const firstMondayMs = 4 * dayMs;

interface Bucket {
  /** Start of the bucket in which a time is. */
  readonly startMs: (ms: number) => number;
  /** Start of the next bucket. */
  readonly nextMs: (startMs: number) => number;
}

const ofLength = (lengthMs: number, originMs = 0): Bucket => ({
  startMs: (ms) => Math.floor((ms - originMs) / lengthMs) * lengthMs + originMs,
  nextMs: (startMs) => startMs + lengthMs,
});

/** `Date.UTC` is not used: it takes the years 0 to 99 for those of the twentieth century. */
const month: Bucket = {
  startMs: (ms) => {
    const start = new Date(ms);
    start.setUTCDate(1);
    return start.setUTCHours(0, 0, 0, 0);
  },
  nextMs: (startMs) => {
    const next = new Date(startMs);
    return next.setUTCMonth(next.getUTCMonth() + 1);
  },
};

const buckets: Readonly<Record<MetricsResolution, Bucket>> = {
  hourly: ofLength(hourMs),
  daily: ofLength(dayMs),
  weekly: ofLength(weekMs, firstMondayMs),
  monthly: month,
};

export const bucketStart = (resolution: MetricsResolution, ms: number): number => buckets[resolution].startMs(ms);

/** Starts of all buckets of the window. The first one may be before the window. */
export function bucketStarts({ fromMs, toMs }: MetricsWindow, resolution: MetricsResolution): number[] {
  const { startMs, nextMs } = buckets[resolution];
  const starts: number[] = [];
  for (let start = startMs(fromMs); start < toMs; start = nextMs(start)) starts.push(start);
  return starts;
}
