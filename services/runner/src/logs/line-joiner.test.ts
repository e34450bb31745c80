import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineJoiner } from './line-joiner.ts';
import { parseEntry } from './log-entry.ts';

const entry = (text: string, stream: 'stdout' | 'stderr' = 'stdout') => ({ text, stream, timeNs: '1' });
const pieceOf = (letter: string) => letter.repeat(16_384);

test('an entry of Docker\u2019s file is read to the nanosecond', () => {
  const line = '{"log":"hello\\n","stream":"stderr","time":"2026-01-02T03:04:05.67890123Z"}';
  expect(parseEntry(line)).toEqual({ text: 'hello\n', stream: 'stderr', timeNs: '1767323045678901230' });
  expect(parseEntry(line.replace('.67890123', ''))?.timeNs).toBe('1767323045000000000');
});

test('a line that is not an entry is ignored', () => {
  for (const line of [
    '',
    '{',
    '{"log":"hal',
    '[]',
    '{"log":1,"time":"2026-01-02T03:04:05Z"}',
    '{"log":"a","time":"soon"}',
  ]) {
    expect(parseEntry(line)).toBeUndefined();
  }
});

describe('pieces', () => {
  test('of a long line become one line, with the time of the first', () => {
    const joiner = new LineJoiner();
    expect(joiner.add({ ...entry(pieceOf('a')), timeNs: '5' })).toEqual([]);
    expect(joiner.isEmpty).toBe(false);
    expect(joiner.add({ ...entry('b\n'), timeNs: '6' })).toEqual([
      { stream: 'stdout', timeNs: '5', text: `${pieceOf('a')}b` },
    ]);
    expect(joiner.isEmpty).toBe(true);
  });

  test('of the two streams are not mixed', () => {
    const joiner = new LineJoiner();
    joiner.add(entry(pieceOf('a')));
    expect(joiner.add(entry('other\n', 'stderr')).map(({ text }) => text)).toEqual(['other']);
    expect(joiner.add(entry('\n')).map(({ text }) => text)).toEqual([pieceOf('a')]);
  });

  test('shorter than a piece and without a line break are the end of the stream', () => {
    expect(new LineJoiner().add(entry('no newline at the end')).map(({ text }) => text)).toEqual([
      'no newline at the end',
    ]);
  });

  test('beyond 256 KB are cut, and nothing of them is lost', () => {
    const joiner = new LineJoiner();
    const pieces = [...'abcdefghijklmnopqrst'].map(pieceOf);
    const lines = pieces.flatMap((piece) => joiner.add(entry(piece)));
    lines.push(...joiner.add(entry('end\n')));
    expect(lines.map(({ text }) => text.length)).toEqual([262_144, 4 * 16_384 + 3]);
    expect(lines.map(({ text }) => text).join('')).toBe(`${pieces.join('')}end`);
  });
});

test('every written character arrives, in order and in lines of bounded length', () => {
  const text = fc.oneof(fc.string(), fc.constant(pieceOf('x')), fc.constant(pieceOf('é')), fc.constant('\n'));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 60 }), (texts) => {
      const joiner = new LineJoiner();
      const lines = [...texts.flatMap((each) => joiner.add(entry(each))), ...joiner.flush()];
      expect(lines.map((line) => line.text).join('')).toBe(texts.map((each) => each.replace(/\n$/, '')).join(''));
      expect(lines.every((line) => line.text.length <= 262_144)).toBe(true);
    }),
    { numRuns: 50 },
  );
});
