import { formatTraceparent, parseTraceparent, startTrace } from '@berth/telemetry';
import { expect, test } from 'vitest';
import { traceOfCall } from './trace-of-call.ts';

test.each([
  ['with a parent', formatTraceparent(startTrace())],
  ['without one', undefined],
] as const)(
  'a call that is replayed has the trace of its first run, and another call another one (%s)',
  (_, traceparent) => {
    const first = traceOfCall('inv_1', traceparent);
    expect(traceOfCall('inv_1', traceparent)).toEqual(first);
    expect(traceOfCall('inv_2', traceparent).spanId).not.toBe(first.spanId);
    expect(first).toMatchObject(parseTraceparent(formatTraceparent(first)) ?? { traceId: 'none' });
  },
);

test('the handler continues the trace of the sender', () => {
  const parent = startTrace();
  const { traceId, spanId, sampled } = traceOfCall('inv_1', formatTraceparent(parent));
  expect([traceId, sampled]).toEqual([parent.traceId, parent.sampled]);
  expect(spanId).not.toBe(parent.spanId);
});
