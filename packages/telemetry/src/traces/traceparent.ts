// W3C Trace Context, level 1: https://www.w3.org/TR/trace-context/#traceparent-header
import { randomFillSync } from 'node:crypto';

export type TraceContext = {
  traceId: string;
  spanId: string;
  sampled: boolean;
  /** Span that caused this one. Absent for the first span of a trace, and in what a header says. */
  parentSpanId?: string;
};

type Random = (byteCount: number) => { toString(encoding: 'hex'): string };

const traceparentForm = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampledFlag = 0b1;

/** Undefined for a header that the standard calls invalid: the caller then starts a new trace. */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags, rest] = traceparentForm.exec(header ?? '') ?? [];
  if (!version || !traceId || !spanId || !flags) return undefined;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & sampledFlag) === sampledFlag };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

// Random bytes are drawn by the page: a separate draw costs about a system call, and every request needs two.
const page = Buffer.alloc(4096);
let used = page.length;

function fromPage(byteCount: number): Buffer {
  if (used + byteCount > page.length) {
    randomFillSync(page);
    used = 0;
  }
  used += byteCount;
  return page.subarray(used - byteCount, used);
}

export function startTrace(random: Random = fromPage): TraceContext {
  return { traceId: nonZero(16, random), spanId: nonZero(8, random), sampled: true };
}

/** A new span of the same trace. */
export function childOf(parent: TraceContext, random: Random = fromPage): TraceContext {
  const { traceId, spanId, sampled } = parent;
  return { traceId, spanId: nonZero(8, random), sampled, parentSpanId: spanId };
}

/** Trace of a request: a new span of the caller's trace, or of a new one where the caller sent none. */
export function continueTrace(header: string | undefined): TraceContext {
  const parent = parseTraceparent(header);
  return parent === undefined ? startTrace() : childOf(parent);
}

function nonZero(byteCount: number, random: Random): string {
  const id = random(byteCount).toString('hex');
  return /^0+$/.test(id) ? nonZero(byteCount, random) : id;
}
