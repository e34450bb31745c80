import { createHash } from 'node:crypto';
import { childOf, parseTraceparent, startTrace, type TraceContext } from '@berth/telemetry';

/**
 * The trace of a call, identical in every run of the call. Sent messages carry the trace, and the engine compares each
 * send of a replay with the recorded one. With a new random trace the replay would never match: the call would never
 * end and would block its key.
 */
export function traceOfCall(id: string, traceparent: string | undefined): TraceContext {
  const random = (byteCount: number): Buffer =>
    createHash('sha256').update(`${byteCount} ${id}`).digest().subarray(0, byteCount);
  const parent = parseTraceparent(traceparent);
  return parent === undefined ? startTrace(random) : childOf(parent, random);
}
