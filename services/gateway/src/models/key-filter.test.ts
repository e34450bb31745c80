import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyFilter } from './key-filter.ts';

function filtered(key: string, chunks: readonly Buffer[]): string {
  const filter = new KeyFilter(key);
  return Buffer.concat([...chunks.map((chunk) => filter.pass(chunk)), filter.end()]).toString('latin1');
}

const split = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, at) => bytes.subarray(places[at] ?? 0, end));
};

test('a key is replaced wherever an answer is cut, and nothing else changes', () => {
  // Two letters make repeated beginnings of the key likely.
  const letters = fc.stringMatching(/^[ab]{0,40}$/);
  fc.assert(
    fc.property(
      fc.stringMatching(/^[ab]{16,20}$/),
      fc.array(letters, { maxLength: 4 }),
      fc.array(fc.nat(), { maxLength: 12 }),
      (key, parts, cuts) => {
        const answer = Buffer.from(parts.join(key));
        const expected = answer.toString().replaceAll(key, '*'.repeat(key.length));
        expect(filtered(key, split(answer, cuts))).toBe(expected);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a word that is too short for a secret stays in what a model says', () => {
  expect(filtered('EMPTY', [Buffer.from('The list is EM'), Buffer.from('PTY.')])).toBe('The list is EMPTY.');
  expect(new KeyFilter('EMPTY').text('EMPTY')).toBe('EMPTY');
});

test('a chunk without a beginning of the key is passed on at once, without a copy', () => {
  const filter = new KeyFilter('sk-secret-of-a-provider');
  const chunk = Buffer.from('data: {"choices":[]}\n\n');
  expect(filter.pass(chunk).buffer).toBe(chunk.buffer);
  expect(filter.end()).toHaveLength(0);
});
