import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { byteText } from './byte-text.ts';
import { type LineHit, LineSearch } from './line-search.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-line-search-'));
afterAll(() => rmSync(folder, { recursive: true }));

function search(
  content: string | Buffer,
  query: string,
  { caseSensitive = true, contextLines = 0, maxHits = 1e9 } = {},
) {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  const descriptor = openSync(path, 'r');
  const hits: LineHit[] = [];
  const found = (hit: LineHit) => hits.push(hit) < maxHits;
  new LineSearch(descriptor, byteText(query, caseSensitive), contextLines, found).run();
  closeSync(descriptor);
  return hits;
}

/** Reference search, in memory. */
function expected(content: string, query: string): { line: number; column: number }[] {
  return content.split('\n').flatMap((text, index) => {
    const at = Buffer.from(text).indexOf(query);
    return at < 0 ? [] : { line: index + 1, column: at + 1 };
  });
}

test('line and byte column equal those of a plain search, for lines of any length', () => {
  const pad = fc.integer({ min: 0, max: 300_000 }).map((length) => 'x'.repeat(length));
  const short = fc.string({ unit: fc.constantFrom('a', 'b', 'é', ' '), maxLength: 20 });
  const lines = fc.array(
    fc.oneof(
      { weight: 5, arbitrary: short },
      { weight: 1, arbitrary: fc.tuple(pad, short, pad, short).map((parts) => parts.join('')) },
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(
      lines,
      fc.constantFrom('ab', 'aé', 'a', 'éé'),
      fc.integer({ min: 0, max: 3 }),
      (parts, query, contextLines) => {
        const content = parts.join('\n');
        const hits = search(content, query, { contextLines });
        expect(hits.map(({ line, column }) => ({ line, column }))).toEqual(expected(content, query));
      },
    ),
    { numRuns: 150 },
  );
});

test('a hit across two windows is found once, with its column', () => {
  for (const at of [262_140, 262_142, 262_143, 262_144, 524_280, 524_287]) {
    const content = `${'x'.repeat(at)}needle${'y'.repeat(600_000)}needle\nneedle`;
    expect(search(content, 'needle').map(({ line, column }) => [line, column])).toEqual([
      [1, at + 1],
      [2, 1],
    ]);
  }
});

test('contextLines returns the lines before and after a hit, also across windows, and fewer at either end of the file', () => {
  const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index + 1} of this file`);
  const hits = search(lines.join('\n'), '00 of this', { contextLines: 2, maxHits: 1e9 });
  expect(hits).toHaveLength(400);
  for (const { line, context } of hits) {
    expect(context).toBe(lines.slice(Math.max(0, line - 3), line + 2).join('\n'));
  }
  expect(search('hit\nafter', 'hit', { contextLines: 3 })[0]?.context).toBe('hit\nafter');
});

test('R-30 a long line is shown around its hit, without half a character', () => {
  const [hit] = search(`${'é'.repeat(5_000)}needle${'é'.repeat(5_000)}`, 'needle');
  expect(hit?.column).toBe(10_001);
  expect(Buffer.byteLength(hit?.text ?? '')).toBeLessThanOrEqual(1_000);
  expect(hit?.text).toMatch(/^é+needleé+$/);
});

test('R-30 a file with a NUL byte is skipped', () => {
  expect(search(Buffer.from('needle\0needle'), 'needle')).toEqual([]);
});

test('R-30 no line is read after the last requested hit', () => {
  expect(search('needle\n'.repeat(1_000), 'needle', { maxHits: 3 })).toHaveLength(3);
});

test('a case-insensitive search finds ASCII and other letters in either case, and no other bytes', () => {
  expect(search('NeEdLe', 'nEeDlE', { caseSensitive: false })).toHaveLength(1);
  expect(search('GRÖSSE Ärger', 'ärger', { caseSensitive: false })[0]?.column).toBe(9);
  expect(search('привет', 'ПРИВЕТ', { caseSensitive: false })).toHaveLength(1);
  expect(search('a.c', 'A.C', { caseSensitive: false })).toHaveLength(1);
  expect(search('abc', 'A.C', { caseSensitive: false })).toHaveLength(0);
  // é is C3 A9, É is C3 89: single bytes must not be folded.
  expect(search(Buffer.from([0xe3, 0xa9]), 'é', { caseSensitive: false })).toHaveLength(0);
  expect(search('NEEDLE', 'needle')).toHaveLength(0);
});

test('lines that end in CR LF are returned without both', () => {
  expect(search('one\r\ntwo needle\r\nthree', 'needle')[0]).toEqual({ line: 2, column: 5, text: 'two needle' });
});
