import { logErrors } from './errors.ts';

export interface LogWindow {
  readonly from: Date;
  readonly to: Date;
}

const hourMs = 3_600_000;
/** The longest window of logs; followers look no further back. */
export const maxWindowMs = 72 * hourMs;
/** Enough for three days in intervals of a minute. */
const maxIntervals = 5_000;

interface AskedWindow {
  readonly start?: Date | undefined;
  readonly end?: Date | undefined;
  readonly intervalSeconds: number;
}

/** Defaults to the last hour. */
export function logWindow({ start, end, intervalSeconds }: AskedWindow, nowMs: number): LogWindow {
  const to = end ?? new Date(nowMs);
  const from = start ?? new Date(to.getTime() - hourMs);
  const lengthMs = to.getTime() - from.getTime();
  const refuse = (fault: string) =>
    logErrors.invalid_log_window({ start: from.toISOString(), end: to.toISOString(), fault });
  if (lengthMs <= 0) throw refuse('does not end after its start');
  if (lengthMs > maxWindowMs) throw refuse('is longer than 3 days');
  if (lengthMs / 1000 / intervalSeconds > maxIntervals) throw refuse(`has more than ${maxIntervals} intervals`);
  return { from, to };
}
