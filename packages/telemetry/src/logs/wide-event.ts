import type { Logger } from 'pino';
import type { SpanKind, SpanSink } from '../traces/span.ts';
import type { TraceContext } from '../traces/traceparent.ts';

type Fields = Readonly<Record<string, unknown>>;

export type WideEvent = {
  /** Collects fields; nothing is written yet. */
  add(fields: Fields): void;
  /** Writes the one line. Later calls are ignored, so that an error path may end an event that a handler has ended. */
  end(fields?: Fields): void;
  fail(error: unknown, fields?: Fields): void;
};

export type WideEventOptions = {
  now?: () => number;
  /** Records the event as a span too, named `name` or like the event. */
  span?: { readonly spans: SpanSink; readonly trace: TraceContext; readonly kind: SpanKind; readonly name?: string };
};

/** One line per request, handler call or container change, with all the fields collected until it ends. */
export function startWideEvent(
  logger: Logger,
  name: string,
  fields: Fields = {},
  { now = () => performance.now(), span }: WideEventOptions = {},
): WideEvent {
  const startedAt = now();
  const collected: Record<string, unknown> = { event: name, ...fields };
  if (span !== undefined) collected.traceId = span.trace.traceId;
  let written = false;

  function write(level: 'info' | 'error', outcome: string, extra: Fields | undefined, error?: unknown): void {
    if (written) return;
    written = true;
    collected.outcome = outcome;
    if (extra !== undefined) Object.assign(collected, extra);
    if (level === 'error') collected.err = error;
    const durationMs = Math.round((now() - startedAt) * 1_000) / 1_000;
    collected.durationMs = durationMs;
    logger[level](collected, name);
    if (span === undefined) return;
    const { spans, trace, kind } = span;
    spans.record({ name: span.name ?? name, kind, trace, endedAt: Date.now(), durationMs, fields: collected, error });
  }

  return {
    add: (extra) => void Object.assign(collected, extra),
    end: (extra) => write('info', 'ok', extra),
    fail: (error, extra) => write('error', 'error', extra, error),
  };
}
