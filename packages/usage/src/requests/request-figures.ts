import { addDurations, noDurations } from './durations.ts';
import { percentile } from './percentile.ts';

/** Sums over rows of `request_minutes`. */
interface RequestSums {
  readonly requests: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly durations: readonly number[];
  readonly firstBytes: readonly number[];
}

interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface RequestFigures extends Omit<RequestSums, 'durations' | 'firstBytes'> {
  /** Estimates; undefined without a request. */
  readonly latencyMs: Percentiles | undefined;
  /** Estimates; undefined when the workload answered no request. */
  readonly firstByteMs: Percentiles | undefined;
}

const noSums = (): RequestSums => ({
  requests: 0,
  clientErrors: 0,
  serverErrors: 0,
  bytesIn: 0,
  bytesOut: 0,
  durations: noDurations(),
  firstBytes: noDurations(),
});

export const addSums = (all: readonly RequestSums[]): RequestSums =>
  all.reduce(
    (sum, one) => ({
      requests: sum.requests + one.requests,
      clientErrors: sum.clientErrors + one.clientErrors,
      serverErrors: sum.serverErrors + one.serverErrors,
      bytesIn: sum.bytesIn + one.bytesIn,
      bytesOut: sum.bytesOut + one.bytesOut,
      durations: addDurations(sum.durations, one.durations),
      firstBytes: addDurations(sum.firstBytes, one.firstBytes),
    }),
    noSums(),
  );

export function figuresOf({ durations, firstBytes, ...counters }: RequestSums): RequestFigures {
  return { ...counters, latencyMs: percentilesOf(durations), firstByteMs: percentilesOf(firstBytes) };
}

function percentilesOf(durations: readonly number[]): Percentiles | undefined {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(durations, share));
  return p50 === undefined || p95 === undefined || p99 === undefined ? undefined : { p50, p95, p99 };
}
