// A change of a container as a span: it continues the trace of what the api was asked for.
import { continueTrace, type SpanSink } from '@berth/telemetry';

export interface ContainerChange {
  readonly name: 'instance.ready' | 'instance.failed' | 'instance.gone' | 'sandbox.changed' | 'task.ended';
  /** Of the desired state that led to the change. Without it the change begins a trace. */
  readonly traceparent?: string | undefined;
  readonly durationMs: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

export function recordChange(
  spans: SpanSink | undefined,
  { name, traceparent, durationMs, fields, error }: ContainerChange,
): void {
  const trace = continueTrace(traceparent);
  spans?.record({ name, kind: 'consumer', trace, endedAt: Date.now(), durationMs, fields, error });
}
