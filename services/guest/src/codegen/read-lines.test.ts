import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLines } from './read-lines.ts';

async function* inPieces(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

test('the lines that are read do not depend on how the file is cut into pieces', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.string().map((line) => line.replaceAll('\n', '')),
        { minLength: 1, maxLength: 12 },
      ),
      fc.integer({ min: 1, max: 7 }),
      fc.nat(11),
      fc.nat(11),
      fc.boolean(),
      async (lines, size, from, more, isEnded) => {
        const first = 1 + (from % lines.length);
        const last = Math.min(lines.length, first + more);
        // An empty last line counts only if a line break follows it.
        const text = `${lines.join('\n')}${isEnded || lines.at(-1) === '' ? '\n' : ''}`;
        expect(await readLines(inPieces(text, size), first, last)).toBe(lines.slice(first - 1, last).join('\n'));
      },
    ),
  );
});

test('lines out of range are an error that states the number of lines', async () => {
  await expect(readLines(inPieces('a\nb\n', 2), 1, 3)).rejects.toThrow(/has 2 lines/);
  await expect(readLines(inPieces('a\nb', 2), 3, 3)).rejects.toThrow(/has 2 lines/);
  await expect(readLines(inPieces('', 2), 1, 1)).rejects.toThrow(/has 0 lines/);
  await expect(readLines(inPieces('a', 2), 0, 1)).rejects.toThrow(/count from 1/);
  await expect(readLines(inPieces('a\nb', 2), 2, 1)).rejects.toThrow(/smaller number/);
});
