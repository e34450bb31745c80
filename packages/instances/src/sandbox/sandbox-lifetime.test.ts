import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expiresAtMs, expiresInSeconds, expiryMessage, fixedExpiry, idleExpiry } from './sandbox-lifetime.ts';

const unitSeconds = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const duration = fc.record({
  count: fc.integer({ min: 1, max: 1000 }),
  unit: fc.constantFrom('s', 'm', 'h', 'd', 'w'),
});
type Duration = { readonly count: number; readonly unit: string };
const textOf = ({ count, unit }: Duration) => `${count}${unit}`;
const msOf = ({ count, unit }: Duration) => count * (unitSeconds[unit as keyof typeof unitSeconds] ?? 0) * 1000;
const time = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });

test('a sandbox without a rule never expires', () => {
  for (const spec of [{}, { runtime: {} }, { runtime: { ttl: '' } }, { lifecycle: { terminatedRetention: '5m' } }])
    expect(expiresAtMs(spec, { createdAtMs: 0 })).toBeUndefined();
});

test('the earliest rule decides, whatever the order', () => {
  const policy = fc.oneof(
    fc.record({ type: fc.constantFrom('ttl-max-age', 'ttl-idle'), value: duration }),
    fc.record({ type: fc.constant('date'), value: time }),
  );
  fc.assert(
    fc.property(
      fc.array(policy, { minLength: 1, maxLength: 10 }),
      fc.option(duration, { nil: undefined }),
      fc.option(time, { nil: undefined }),
      time,
      fc.nat(1_000_000_000),
      (policies, ttl, expires, createdAt, usedAfterMs) => {
        const createdAtMs = createdAt.getTime();
        const lastUsedAtMs = createdAtMs + usedAfterMs;
        const ends = policies.map(({ type, value }) => {
          if (value instanceof Date) return value.getTime();
          return (type === 'ttl-idle' ? lastUsedAtMs : createdAtMs) + msOf(value);
        });
        if (ttl !== undefined) ends.push(createdAtMs + msOf(ttl));
        if (expires !== undefined) ends.push(expires.getTime());
        const spec = {
          runtime: {
            ...(ttl === undefined ? {} : { ttl: textOf(ttl) }),
            ...(expires === undefined ? {} : { expires: expires.toISOString() }),
          },
          lifecycle: {
            expirationPolicies: policies.map(({ type, value }) => ({
              type,
              value: value instanceof Date ? value.toISOString() : textOf(value),
            })),
          },
        };
        expect(expiresAtMs(spec, { createdAtMs, lastUsedAtMs })).toBe(Math.min(...ends));
      },
    ),
  );
});

test('the seconds left are whole, never negative, and shrink as time passes', () => {
  fc.assert(
    fc.property(duration, time, fc.nat(10_000_000), fc.nat(10_000_000), (ttl, createdAt, early, later) => {
      const spec = { runtime: { ttl: textOf(ttl) } };
      const at = (ms: number) => expiresInSeconds(spec, { createdAtMs: createdAt.getTime() }, createdAt.getTime() + ms);
      const [first = -1, second = -1] = [at(early), at(early + later)];
      expect(Number.isInteger(first) && first >= 0).toBe(true);
      expect(second).toBeLessThanOrEqual(first);
      expect(at(0)).toBe(msOf(ttl) / 1000);
    }),
  );
});

test('the account’s maximum lifetime is a rule like the others', () => {
  const dayMs = 86_400_000;
  expect(expiresAtMs({}, { createdAtMs: 0, maxDays: 7 })).toBe(7 * dayMs);
  expect(expiresAtMs({ runtime: { ttl: '2w' } }, { createdAtMs: 0, maxDays: 7 })).toBe(7 * dayMs);
  expect(expiresAtMs({ runtime: { ttl: '1d' } }, { createdAtMs: 0, maxDays: 7 })).toBe(dayMs);
  expect(expiresAtMs({}, { createdAtMs: 0, maxDays: -1 })).toBeUndefined();
});

test('the fixed expiry ignores ttl-idle rules, and the idle expiry uses the shortest of them', () => {
  const policies = [
    { type: 'ttl-idle', value: '2m' },
    { type: 'ttl-idle', value: '30s' },
    { type: 'ttl-max-age', value: '1h' },
  ];
  const spec = { runtime: { ttl: '2h' }, lifecycle: { expirationPolicies: policies } };
  expect(fixedExpiry(spec, { createdAtMs: 0 })).toEqual({
    atMs: 3_600_000,
    message: 'It was to live for 1h (ttl-max-age).',
  });
  expect(idleExpiry(spec, { createdAtMs: 0, lastUsedAtMs: 10_000 })).toEqual({
    atMs: 40_000,
    message: 'Nobody has used it for 30s (ttl-idle).',
  });
});

test('the expiry message names the sandbox’s rule, or the account’s limit when no rule was due', () => {
  const spec = { runtime: { ttl: '1h', expires: '2030-01-01T00:00:00Z' } };
  expect(expiryMessage(spec, 0, 3_600_000)).toBe('It was to live for 1h (ttl).');
  expect(expiryMessage(spec, Date.parse('2029-12-31T23:30:00Z'), Date.parse('2030-01-01T00:00:00Z'))).toBe(
    'It was to live until 2030-01-01T00:00:00Z (expires).',
  );
  expect(expiryMessage(spec, 0, 1_800_000)).toContain('as its account allows');
});
