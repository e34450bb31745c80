// Windows of limits in UTC. Pure.

export interface WindowLength {
  readonly step: number;
  readonly granularity: 'minute' | 'hour' | 'day' | 'month';
}

export interface LimitWindow {
  readonly startMs: number;
  /** The start of the next window. */
  readonly endMs: number;
}

const unitMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const epochYear = 1970;

/** Windows are counted from 1970-01-01T00:00Z, so that all processes have the same ones. */
export function windowAt(nowMs: number, { step, granularity }: WindowLength): LimitWindow {
  if (granularity === 'month') return monthsAt(nowMs, step);
  const lengthMs = step * unitMs[granularity];
  const startMs = Math.floor(nowMs / lengthMs) * lengthMs;
  return { startMs, endMs: startMs + lengthMs };
}

function monthsAt(nowMs: number, step: number): LimitWindow {
  const now = new Date(nowMs);
  const month = (now.getUTCFullYear() - epochYear) * 12 + now.getUTCMonth();
  const first = Math.floor(month / step) * step;
  return { startMs: Date.UTC(epochYear, first), endMs: Date.UTC(epochYear, first + step) };
}
