import { createHash } from 'node:crypto';
import { childOf, parseTraceparent, startTrace, type TraceContext } from '@berth/telemetry';

/**
 * The trace of a call, the same in every run of it. What a call sends carries the trace, and the engine compares each send of a
 * replay with the one that it has recorded: with a trace drawn anew the call would never end, and hold its key for ever.
 */
export function traceOfCall(id: string, traceparent: string | undefined): TraceContext {
  const random = (byteCount: number): Buffer =>
    createHash('sha256').update(`${byteCount} ${id}`).digest().subarray(0, byteCount);
  const parent = parseTraceparent(traceparent);
  return parent === undefined ? startTrace(random) : childOf(parent, random);
}
