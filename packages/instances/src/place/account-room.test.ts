import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitsOf } from './account-limits.ts';
import { roomFor } from './account-room.ts';

test('instances placed in the remaining room never exceed a limit, and one more would', () => {
  const amount = fc.integer({ min: 0, max: 100_000 });
  fc.assert(
    fc.property(
      amount,
      amount,
      amount,
      amount,
      fc.integer({ min: 1, max: 5_000 }),
      (held, heldMb, most, mostMb, mb) => {
        const limits = { instances: most, memory_mb: mostMb };
        const account = { tier: 'none', quotas: limits };
        const { count, limit } = roomFor({ instances: held, memoryMb: heldMb }, account, { limits: {}, tiers: {} }, mb);
        const isWithin = (more: number): boolean => held + more <= most && heldMb + more * mb <= mostMb;
        if (count > 0) expect(isWithin(count)).toBe(true);
        expect(isWithin(count + 1)).toBe(false);
        expect(limit.limit).toBe(limits[limit.resourceType]);
      },
    ),
  );
});

test('every limit is far below what fills a database', () => {
  const limits = limitsOf({ tier: 'none', quotas: {} }, { limits: {}, tiers: {} });
  for (const [name, limit] of Object.entries(limits))
    if (!['execution_bytes', 'memory', 'memory_mb', 'volume_size'].includes(name)) expect(limit).toBeLessThan(10_001);
});
