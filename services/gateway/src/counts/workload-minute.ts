// Counters of one workload in one minute.
import { countDuration, noDurations, type RequestRow } from '@berth/usage';
import type { Outcome } from '../proxy/outcome.ts';
import type { ServedKind, Workload } from '../workloads/workload.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';

export interface CountedWorkload extends Pick<Workload, 'uid' | 'name' | 'workspaceId'> {
  readonly kind: ServedKind | 'model';
}

const resourceType = (kind: CountedWorkload['kind']): string =>
  kind === 'model' ? 'models' : workloadKinds[kind].pathSegment;

export interface WorkloadMinute {
  readonly workload: CountedWorkload;
  /** Minutes since 1970. */
  readonly minute: number;
  readonly runId: string;
  requests: number;
  clientErrors: number;
  serverErrors: number;
  bytesIn: number;
  bytesOut: number;
  readonly durations: number[];
  readonly firstBytes: number[];
  /** Value of `requests` that is stored. */
  written: number;
}

export const minuteMs = 60_000;

export const beginMinute = (place: Pick<WorkloadMinute, 'workload' | 'minute' | 'runId'>): WorkloadMinute => ({
  ...place,
  requests: 0,
  clientErrors: 0,
  serverErrors: 0,
  bytesIn: 0,
  bytesOut: 0,
  durations: noDurations(),
  firstBytes: noDurations(),
  written: 0,
});

export const isChanged = ({ requests, written }: WorkloadMinute): boolean => written < requests;

/** Status 0, of a client that left before there was a response, is no error. */
export function addRequest(
  counters: WorkloadMinute,
  status: number,
  elapsedMs: number,
  outcome: Outcome | undefined,
): void {
  counters.requests += 1;
  if (status >= 500) counters.serverErrors += 1;
  else if (status >= 400) counters.clientErrors += 1;
  countDuration(counters.durations, elapsedMs);
  if (outcome === undefined) return;
  counters.bytesIn += outcome.bytesIn;
  counters.bytesOut += outcome.bytesOut;
  // The outcome is timed from the moment at which it was offered to an instance, and not from the beginning.
  if (outcome.firstByteMs !== undefined)
    countDuration(counters.firstBytes, elapsedMs - outcome.durationMs + outcome.firstByteMs);
}

/** Copies the counters: requests go on counting while the row is written. */
export const rowOf = (counters: WorkloadMinute): RequestRow => ({
  workspaceId: counters.workload.workspaceId,
  resourceType: resourceType(counters.workload.kind),
  resourceUid: counters.workload.uid,
  workload: counters.workload.name,
  minuteMs: counters.minute * minuteMs,
  gateway: counters.runId,
  requests: counters.requests,
  clientErrors: counters.clientErrors,
  serverErrors: counters.serverErrors,
  bytesIn: counters.bytesIn,
  bytesOut: counters.bytesOut,
  durations: [...counters.durations],
  firstBytes: [...counters.firstBytes],
});
