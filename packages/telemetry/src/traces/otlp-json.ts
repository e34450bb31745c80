// Spans in the JSON form of OTLP: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
// Ids are hexadecimal, 64-bit numbers are text, enums are numbers.
import { redactLine } from '../logs/redact.ts';
import type { Span, SpanKind } from './span.ts';

export type Resource = Readonly<Record<string, string>>;

type Value = { stringValue: string } | { boolValue: boolean } | { intValue: string } | { doubleValue: number };
type Attribute = { key: string; value: Value };

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, consumer: 5 };
const errorStatus = { code: 2 };
const maxCharacters = 1_000;

/** Fields whose meaning OpenTelemetry has named. Others become `berth.<field>`. */
const knownNames: Readonly<Record<string, string>> = {
  method: 'http.request.method',
  status: 'http.response.status_code',
  path: 'url.path',
};
/** The span itself says these. */
const left: ReadonlySet<string> = new Set(['event', 'outcome', 'durationMs', 'err', 'traceId', 'trace']);

export function otlpRequest(resource: Resource, spans: readonly Span[]) {
  const byService = Map.groupBy(spans, ({ service }) => service);
  return {
    resourceSpans: [...byService].map(([service, own]) => ({
      resource: {
        attributes: attributesOf(Object.entries(service === undefined ? resource : { 'service.name': service })),
      },
      scopeSpans: [{ scope: { name: 'berth' }, spans: own.map(otlpSpan) }],
    })),
  };
}

function otlpSpan({ name, kind, trace, endedAt, durationMs, fields, error }: Span) {
  const { traceId, spanId, parentSpanId } = trace;
  const named = Object.entries(redactLine(fields))
    .filter(([field]) => !left.has(field))
    .map(([field, value]): [string, unknown] => [knownNames[field] ?? `berth.${field}`, value]);
  return {
    ...{ traceId, spanId, ...(parentSpanId !== undefined && { parentSpanId }) },
    ...{ name, kind: kinds[kind] },
    startTimeUnixNano: nanoseconds(endedAt - durationMs),
    endTimeUnixNano: nanoseconds(endedAt),
    // The message of an error may repeat an address with its query: only its type leaves.
    attributes: attributesOf(error === undefined ? named : [...named, ['error.type', typeOf(error)]]),
    ...(isFailure(fields.status, error) && { status: errorStatus }),
  };
}

const isFailure = (status: unknown, error: unknown): boolean =>
  error !== undefined || (typeof status === 'number' && status >= 500);

/** A number of nanoseconds is beyond what a double holds exactly. */
const nanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n);

function attributesOf(entries: readonly (readonly [string, unknown])[]): Attribute[] {
  return entries.flatMap(([key, value]) => {
    const stored = anyValue(value);
    return stored === undefined ? [] : [{ key, value: stored }];
  });
}

function anyValue(value: unknown): Value | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number' && Number.isFinite(value))
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return { stringValue: text.slice(0, maxCharacters) };
}

function typeOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
