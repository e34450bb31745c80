import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateTokens } from './estimate-tokens.ts';

test('four bytes are a token, and a begun token is a whole one', () => {
  expect(estimateTokens({ sentBytes: 8, receivedBytes: 9 })).toEqual({ sent: 2, cached: 0, received: 3 });
});

test('a request never costs nothing; an answer costs nothing only when no byte of it came', () => {
  expect(estimateTokens({ sentBytes: 0, receivedBytes: 0 })).toEqual({ sent: 1, cached: 0, received: 0 });
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (sentBytes, receivedBytes) => {
      const { sent, received } = estimateTokens({ sentBytes, receivedBytes });
      expect(sent).toBeGreaterThanOrEqual(1);
      expect(received > 0).toBe(receivedBytes > 0);
      expect(received * 4 - receivedBytes).toBeOneOf([0, 1, 2, 3]);
    }),
  );
});
