import { defaultBrand } from '@berth/contract';
import { type Span, startTrace } from '@berth/telemetry';
import { expect, test } from 'vitest';
import { recordsGuest } from './guest-span.ts';

const trace = startTrace();

function spansFor(rawHeaders: string[]): Span[] {
  const recorded: Span[] = [];
  const context = { trace, requestId: 'r1', startedAt: performance.now() - 50 };
  const spans = { record: (span: Span) => void recorded.push(span) };
  const onHead = recordsGuest((_, headers) => headers, context, { brand: defaultBrand, spans });
  expect(onHead(200, rawHeaders)).toBe(rawHeaders);
  return recorded;
}

test('the time that the guest tells becomes a span below that of the request', () => {
  expect(spansFor(['X-Service-Guest-Ms', '1.5'])).toEqual([
    expect.objectContaining({
      service: 'berth-guest',
      durationMs: 1.5,
      trace: expect.objectContaining({ traceId: trace.traceId, parentSpanId: trace.spanId }),
    }),
  ]);
});

test('a program in the sandbox can claim no more than the time of its own request', () => {
  const [span] = spansFor(['X-Service-Guest-Ms', '900000000']);
  expect(span?.durationMs).toBeLessThan(900_000_000);
});

test.each([
  [[]],
  [['X-Service-Guest-Ms', '-1']],
  [['X-Service-Guest-Ms', '1e9']],
  [['X-Service-Guest-Ms', '1', 'X-Service-Guest-Ms', '2']],
])('there is no span without one plain number: %j', (headers) => {
  expect(spansFor(headers)).toEqual([]);
});
