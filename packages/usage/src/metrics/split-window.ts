// Decides which hours of a window are read from closed hours, and which from intervals. Pure.
import { hourMs, type Period, startOfHour } from '../ledger/split-at-hours.ts';

/** The table's time ends in 2106; nothing is stored outside of this period. */
const storable = { fromMs: 0, toMs: startOfHour(2 ** 32 * 1_000) };

export interface WindowParts {
  /** The window, without time in which nothing can be stored. */
  readonly window: Period;
  /** Hours that lie in the window as a whole. Empty when `fromMs` is not before `toMs`. */
  readonly full: Period;
  /** Begins of the hours that are read from intervals: dirty ones, and those that an edge of the window cuts. */
  readonly openHoursMs: readonly number[];
}

export function splitWindow({ fromMs, toMs }: Period, dirtyHoursMs: readonly number[]): WindowParts {
  const window = { fromMs: Math.max(fromMs, storable.fromMs), toMs: Math.min(toMs, storable.toMs) };
  const full = { fromMs: startOfHour(window.fromMs + hourMs - 1), toMs: startOfHour(window.toMs) };
  if (window.fromMs >= window.toMs) return { window, full: window, openHoursMs: [] };
  const cutHours = [window.fromMs, window.toMs].filter((edge) => edge !== startOfHour(edge)).map(startOfHour);
  const overlaps = (startMs: number) => startMs + hourMs > window.fromMs && startMs < window.toMs;
  const open = new Set([...cutHours, ...dirtyHoursMs.map(startOfHour).filter(overlaps)]);
  return { window, full, openHoursMs: [...open].toSorted((left, right) => left - right) };
}
