import { createLogger } from '@berth/telemetry';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GatewayError } from '../errors/gateway-error.ts';
import { createRefusalLog } from './refusal-log.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => vi.useRealTimers());

function capture() {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, refusals: createRefusalLog(createLogger({ role: 'gateway' }, { destination })) };
}

const failed = new GatewayError('AUTHENTICATION_FAILED');
const busy = new GatewayError('LOOKUPS_BUSY', { limit: 'lookups' });
const address = new GatewayError('RATE_LIMITED', { limit: 'address' });

test('ten refused strangers per second get their own line, and one line counts the others by code', () => {
  const { lines, refusals } = capture();
  const own = Array.from({ length: 30 }, () => [failed, busy, address].map((error) => refusals.hasOwnLine(error)));
  expect(own.flat().filter(Boolean)).toHaveLength(10);
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(1_000);
  const refused = { AUTHENTICATION_FAILED: 26, LOOKUPS_BUSY: 27, RATE_LIMITED: 27 };
  expect(lines).toEqual([expect.objectContaining({ event: 'gateway.strangers_refused', refused })]);
  expect(refusals.hasOwnLine(failed)).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(lines).toHaveLength(1);
});

test('a refusal of an identified caller always has its own line', () => {
  const { lines, refusals } = capture();
  for (let sent = 0; sent < 30; sent += 1) refusals.hasOwnLine(failed);
  const known = [
    new GatewayError('RATE_LIMITED', { limit: 'key' }),
    new GatewayError('WORKLOAD_NOT_FOUND'),
    new GatewayError('FORBIDDEN'),
    new GatewayError('WORKLOAD_UNAVAILABLE'),
  ];
  for (const error of known) expect(refusals.hasOwnLine(error)).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(lines).toEqual([expect.objectContaining({ refused: { AUTHENTICATION_FAILED: 20 } })]);
});
