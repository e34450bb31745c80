import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { childOf, formatTraceparent, parseTraceparent, startTrace } from './traceparent.ts';

const valid = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const parsed = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', sampled: true };

test('a valid header is read', () => {
  expect(parseTraceparent(valid)).toEqual(parsed);
  expect(parseTraceparent(valid.replace(/01$/, '00'))).toEqual({ ...parsed, sampled: false });
});

test('a header of a later version may have more fields after the known ones', () => {
  expect(parseTraceparent(`${valid.replace(/^00/, '01')}-extra`)).toEqual(parsed);
});

describe('an invalid header is as good as none:', () => {
  test.each([
    ['absent', undefined],
    ['empty', ''],
    ['upper case', valid.toUpperCase()],
    ['forbidden version', valid.replace(/^00/, 'ff')],
    ['version 00 with more fields', `${valid}-extra`],
    ['zero trace id', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`],
    ['zero span id', `00-${parsed.traceId}-${'0'.repeat(16)}-01`],
    ['cut short', valid.slice(0, -1)],
    ['a second line', `${valid}\n${valid}`],
  ])('%s', (_, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});

test('every formatted header is parsed to the same trace', () => {
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
  fc.assert(
    fc.property(bytes(16), bytes(8), fc.boolean(), (trace, span, sampled) => {
      fc.pre(trace.some(Boolean) && span.some(Boolean));
      const [traceId, spanId] = [Buffer.from(trace).toString('hex'), Buffer.from(span).toString('hex')];
      const context = { traceId, spanId, sampled };
      expect(parseTraceparent(formatTraceparent(context))).toEqual(context);
    }),
  );
});

test('a child keeps the trace and gets a span of its own', () => {
  const parent = startTrace();
  const child = childOf(parent);
  expect(child).toMatchObject({ traceId: parent.traceId, sampled: true });
  expect(child.spanId).not.toBe(parent.spanId);
  expect(child.parentSpanId).toBe(parent.spanId);
  expect(child).toMatchObject(parseTraceparent(formatTraceparent(child)) ?? { traceId: 'none' });
});

test('an id of zeros is never handed out', () => {
  const draws = [Buffer.alloc(16), Buffer.alloc(16, 1), Buffer.alloc(8), Buffer.alloc(8, 2)];
  const trace = startTrace(() => draws.shift() ?? Buffer.alloc(0));
  expect(trace).toEqual({ traceId: '01'.repeat(16), spanId: '02'.repeat(8), sampled: true });
});
