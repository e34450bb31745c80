import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PrefixedLines } from './prefixed-lines.ts';
import type { Piece } from './process-output.ts';

const output = (stream: 'stdout' | 'stderr', text: string): Piece => ({
  kind: 'output',
  stream,
  bytes: Buffer.from(text),
  next: 0,
});

function lines(pieces: readonly Piece[], maxHeldBytes?: number): string {
  const prefixed = new PrefixedLines(maxHeldBytes);
  return Buffer.concat([...pieces.map((piece) => prefixed.take([piece])), prefixed.end()]).toString();
}

const chunk = fc.record({
  stream: fc.constantFrom<('stdout' | 'stderr')[]>('stdout', 'stderr'),
  text: fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 12 }),
});

test('R-06 each line has its prefix once, wherever the pieces were cut', () => {
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 40 }), (chunks) => {
      const got = lines(chunks.map(({ stream, text }) => output(stream, text)));
      for (const stream of ['stdout', 'stderr'] as const) {
        const written = chunks.flatMap((one) => (one.stream === stream ? [one.text] : [])).join('');
        const shown = got
          .split('\n')
          .filter((line) => line.startsWith(`${stream}:`))
          .map((line) => line.slice(7));
        const expected = written.split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(shown).toEqual(expected);
      }
    }),
  );
});

test('R-06 a line that is too long to hold is passed on in pieces under one prefix', () => {
  const prefixed = new PrefixedLines(8);
  expect(prefixed.take([output('stdout', '0123456789')]).toString()).toBe('stdout:0123456789');
  expect(prefixed.isAtLineStart).toBe(false);
  expect(prefixed.take([output('stderr', 'e\n')]).toString()).toBe('');
  expect(prefixed.take([output('stdout', 'abc')]).toString()).toBe('abc');
  expect(prefixed.take([output('stdout', 'def\nnext\n')]).toString()).toBe('def\nstderr:e\nstdout:next\n');
  expect(prefixed.isAtLineStart).toBe(true);
});

test('two endless lines at once hold a bounded number of bytes and lose none', () => {
  const pieces = Array.from({ length: 100 }, (_, index) => output(index % 2 ? 'stdout' : 'stderr', '0123456789'));
  const got = lines(pieces, 64);
  expect(got.replaceAll(/stdout:|stderr:|\n/g, '')).toHaveLength(1000);
});

test('R-65 the last line of a stream is passed on even without a newline', () => {
  expect(lines([output('stdout', 'a\nb'), output('stderr', 'c')])).toBe('stdout:a\nstdout:b\nstderr:c\n');
});

test("a marker is a separate line and does not end a process's line", () => {
  const marker: Piece = { kind: 'marker', text: '[here]', breaks: false, next: 0 };
  expect(lines([output('stdout', 'a'), marker, output('stdout', 'b\n')])).toBe('stdout:[here]\nstdout:ab\n');
  const long = lines([output('stdout', '0123456789'), marker, output('stdout', 'b\n')], 8);
  expect(long).toBe('stdout:0123456789b\nstdout:[here]\n');
});

test('a gap ends unfinished lines, because the following output does not continue them', () => {
  const gap: Piece = { kind: 'gap', bytes: 7, atHead: false, next: 0 };
  expect(lines([output('stdout', 'a'), gap, output('stdout', 'b\n')])).toMatch(
    /^stdout:a\nstdout:\[this stream fell behind: 7 bytes.*\]\nstdout:b\n$/,
  );
});
