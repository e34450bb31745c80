import { expect, test } from 'vitest';
import { RefusalNotes } from './refusal-notes.ts';

test('each limit is noted once a minute per instance, and an unknown address is ignored', () => {
  let nowMs = 0;
  const told: string[] = [];
  const notes = new RefusalNotes({ note: (instance, text) => told.push(`${instance}: ${text}`) }, () => nowMs);
  const tell = (...refused: [address: string, text: string][]) =>
    notes.note(
      refused.map(([address, text]) => ({ address, text })),
      (address) => ({ 'address-a': 'a', 'address-b': 'b' })[address],
    );
  tell(['address-a', 'rate'], ['address-c', 'rate']);
  nowMs = 59_999;
  tell(['address-a', 'rate'], ['address-a', 'count'], ['address-b', 'rate']);
  expect(told).toEqual(['a: rate', 'a: count', 'b: rate']);
  nowMs = 60_000;
  tell(['address-a', 'rate'], ['address-b', 'rate']);
  expect(told.slice(3)).toEqual(['a: rate']);
});
