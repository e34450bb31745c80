import { durationSeconds } from '@berth/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { previewEndsAtMs } from './preview-end.ts';

const moment = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
const ttl = fc.tuple(fc.integer({ min: 1, max: 999 }), fc.constantFrom(...'smhdw')).map((parts) => parts.join(''));

test('a preview ends at the earlier of its rules, and without a rule it does not end', () => {
  expect(previewEndsAtMs({ port: 3000 }, 5)).toBeUndefined();
  fc.assert(
    fc.property(moment, moment, ttl, (created, expires, life) => {
      const byTtl = created.getTime() + (durationSeconds(life) ?? 0) * 1_000;
      const byDate = expires.getTime();
      expect(previewEndsAtMs({ ttl: life }, created.getTime())).toBe(byTtl);
      expect(previewEndsAtMs({ expires: expires.toISOString() }, created.getTime())).toBe(byDate);
      const both = previewEndsAtMs({ ttl: life, expires: expires.toISOString() }, created.getTime());
      expect(both).toBe(Math.min(byTtl, byDate));
    }),
  );
});
