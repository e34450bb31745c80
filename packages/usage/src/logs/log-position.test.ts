import { expect, test } from 'vitest';
import { advance, lateMs, maxSources } from './log-position.ts';

const begin = { sinceMs: 0, sources: {} };

test('a position holds the highest place of each source, in whatever order its lines come', () => {
  const lines = [
    { source: 'a', place: 7, atMs: 50 },
    { source: 'a', place: 6, atMs: 60 },
    { source: 'b', place: 0, atMs: 10 },
  ];
  const sources = { a: { place: 7, atMs: 60 }, b: { place: 0, atMs: 10 } };
  expect(advance(begin, lines)).toEqual({ sinceMs: 0, sources });
  expect(advance({ sinceMs: 0, sources }, [])).toEqual({ sinceMs: 0, sources });
});

test('the time moves on only where all lines were found, and sources that were silent since are forgotten', () => {
  const position = { sinceMs: 0, sources: { old: { place: 1, atMs: 5 }, young: { place: 2, atMs: 20 } } };
  expect(advance(position, [])).toEqual(position);
  expect(advance(position, [], lateMs + 10)).toEqual({ sinceMs: 10, sources: { young: { place: 2, atMs: 20 } } });
  // A follower that was away for long comes back with an old position.
  expect(advance({ ...position, sinceMs: 15 }, [], lateMs)).toMatchObject({ sinceMs: 15 });
});

test('with too many sources the oldest are left out, and so are their lines', () => {
  const lines = Array.from({ length: maxSources + 2 }, (_, at) => ({ source: `s${at}`, place: 1, atMs: 1_000 + at }));
  const { sinceMs, sources } = advance(begin, lines);
  expect(Object.keys(sources)).toHaveLength(maxSources);
  expect(sources.s1).toBeUndefined();
  expect(sinceMs).toBe(1_002);
});
