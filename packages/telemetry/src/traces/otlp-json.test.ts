import { expect, test } from 'vitest';
import { otlpRequest } from './otlp-json.ts';
import type { Span } from './span.ts';

const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), sampled: true, parentSpanId: 'c'.repeat(16) };
const span: Span = {
  name: 'request',
  kind: 'server',
  trace,
  endedAt: 1_700_000_000_000.5,
  durationMs: 2.25,
  fields: {},
};

const spansOf = (spans: readonly Span[]) =>
  otlpRequest({ 'service.name': 'berth-api' }, spans).resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap((scope) => scope.spans),
  );
const attributesOf = (fields: Span['fields'], error?: unknown) =>
  Object.fromEntries(spansOf([{ ...span, fields, error }])[0]?.attributes.map(({ key, value }) => [key, value]) ?? []);

test('a span has its ids in hexadecimal and its times in nanoseconds as text', () => {
  expect(spansOf([span])).toEqual([
    {
      traceId: trace.traceId,
      spanId: trace.spanId,
      parentSpanId: trace.parentSpanId,
      name: 'request',
      kind: 2,
      startTimeUnixNano: '1699999999998250000',
      endTimeUnixNano: '1700000000000500000',
      attributes: [],
    },
  ]);
});

test('fields become attributes of their type, and what the span says itself is left out', () => {
  const fields = { event: 'request', durationMs: 2, traceId: 'x', outcome: 'ok', method: 'GET', status: 200 };
  expect(attributesOf({ ...fields, heldMs: 1.5, held: true, gone: undefined, stages: { pull: 3 } })).toEqual({
    'http.request.method': { stringValue: 'GET' },
    'http.response.status_code': { intValue: '200' },
    'berth.heldMs': { doubleValue: 1.5 },
    'berth.held': { boolValue: true },
    'berth.stages': { stringValue: '{"pull":3}' },
  });
});

test('a secret leaves as little as it is logged, and of an error only its type', () => {
  const error = new Error('GET https://example.org/?token=abc failed');
  const told = JSON.stringify(spansOf([{ ...span, fields: { apiKey: 'abc', note: 'Bearer abc' }, error }]));
  expect(told).not.toContain('abc');
  expect(attributesOf({}, error)).toEqual({ 'error.type': { stringValue: 'Error' } });
});

test.each([
  ['an error', { error: new Error('broken') }],
  ['a status from 500 on', { fields: { status: 503 } }],
])('%s marks the span as failed', (_, more) => {
  expect(spansOf([{ ...span, ...more }])[0]).toMatchObject({ status: { code: 2 } });
  expect(spansOf([{ ...span, fields: { status: 404 } }])[0]).not.toHaveProperty('status');
});

test('a long value is cut', () => {
  expect(attributesOf({ path: 'x'.repeat(5_000) })['url.path']).toEqual({ stringValue: 'x'.repeat(1_000) });
});

test('spans of another service name it as theirs', () => {
  const names = otlpRequest({ 'service.name': 'berth-gateway' }, [
    span,
    { ...span, service: 'berth-guest' },
  ]).resourceSpans.map(({ resource }) => resource.attributes[0]?.value);
  expect(names).toEqual([{ stringValue: 'berth-gateway' }, { stringValue: 'berth-guest' }]);
});
