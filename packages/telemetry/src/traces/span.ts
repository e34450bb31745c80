import type { TraceContext } from './traceparent.ts';

/** Kinds of OpenTelemetry that occur here. */
export type SpanKind = 'server' | 'consumer' | 'internal';

/** A finished piece of work. `trace.spanId` is its own id, `trace.parentSpanId` that of the work that caused it. */
export type Span = {
  readonly name: string;
  readonly kind: SpanKind;
  /** Service that did the work, where that is not the one that records it. */
  readonly service?: string;
  readonly trace: TraceContext;
  /** Milliseconds since 1970. */
  readonly endedAt: number;
  readonly durationMs: number;
  /** Fields of the log line. They pass the same redaction. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Undefined for work that did not fail. */
  readonly error?: unknown;
};

/** Receives finished spans. `record` never waits and never throws. */
export type SpanSink = { record(span: Span): void };

/** For a deployment without a collector. */
export const noSpans: SpanSink = { record() {} };
