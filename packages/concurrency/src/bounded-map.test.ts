import { expect, test } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

test('a full map evicts the least recently used entry', () => {
  const map = new BoundedMap<number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
});

test('a map never holds more than its bound', () => {
  const map = new BoundedMap<number>(100);
  for (let index = 0; index < 10_000; index += 1) {
    map.set(`key ${index}`, index);
    expect(map.size).toBeLessThanOrEqual(100);
  }
});
