import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SealError, seal, unseal } from './seal.ts';

const key = randomBytes(32);

test('a sealed text is unsealed unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) => {
      expect(unseal(key, seal(key, text, context), context)).toBe(text);
    }),
  );
});

test('altering any byte of a sealed text is detected', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), fc.integer({ min: 1, max: 255 }), (text, at, difference) => {
      const bytes = Buffer.from(seal(key, text, 'here'));
      const index = at % bytes.length;
      bytes[index] = (bytes[index] as number) ^ difference;
      expect(() => unseal(key, bytes.toString('latin1'), 'here')).toThrow(SealError);
    }),
    { numRuns: 2000 },
  );
});

test('every other character at every position is detected, spare bits of the last one too', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \n';
  for (const text of ['', 'a', 'ab']) {
    const sealed = seal(key, text, 'here');
    for (let index = 0; index < sealed.length; index += 1) {
      for (const other of alphabet) {
        if (other === sealed[index]) continue;
        const altered = sealed.slice(0, index) + other + sealed.slice(index + 1);
        expect(() => unseal(key, altered, 'here')).toThrow(SealError);
      }
    }
  }
});

test('a sealed text that is cut or lengthened is detected', () => {
  const sealed = seal(key, 'a secret', 'here');
  for (let length = 0; length < sealed.length; length += 1) {
    expect(() => unseal(key, sealed.slice(0, length), 'here')).toThrow(SealError);
  }
  for (const tail of ['A', '=', '\n', 'AAAA']) expect(() => unseal(key, sealed + tail, 'here')).toThrow(SealError);
});

test('a value sealed for one context opens in no other', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (first, second) => {
      fc.pre(first !== second);
      expect(() => unseal(key, seal(key, 'a secret', first), second)).toThrow(SealError);
    }),
  );
});

test('another key does not open a sealed value', () => {
  expect(() => unseal(randomBytes(32), seal(key, 'a secret', 'here'), 'here')).toThrow(SealError);
});

test('the same text never seals to the same value twice', () => {
  expect(new Set(Array.from({ length: 1000 }, () => seal(key, 'a secret', 'here'))).size).toBe(1000);
});
