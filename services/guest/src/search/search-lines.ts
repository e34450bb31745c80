// Finds lines by a regular expression, with the position of each match in bytes.
import { basename, matchesGlob } from 'node:path';
import { fromLatin, toLatin } from './latin-path.ts';
import { lineExpression } from './line-expression.ts';
import type { MatchSink } from './match-sink.ts';
import type { GrepJob } from './search-job.ts';
import { textLines } from './text-lines.ts';
import { walkTree } from './walk-tree.ts';

const maxShownCharacters = 1_000;
const maxMatchesPerLine = 20;

export type GrepMatch = {
  path: string;
  /** The line with its line break; only the beginning of a long line. */
  text: string;
  lineNumber: number;
  /** Offset of the line from the start of the file. */
  byteOffset: number;
  /** Positions in bytes from the start of the line. */
  matches: { text: string; start: number; end: number }[];
};

export function searchLines(job: GrepJob, sink: MatchSink): void {
  const expression = lineExpression(job.query, job.caseSensitive);
  const root = job.root === '/' ? '' : toLatin(job.root);
  for (const { path: latin, kind } of walkTree(job)) {
    sink.tick();
    const path = fromLatin(latin);
    if (kind !== 'file' || !isWanted(path, job)) continue;
    for (const found of linesOf(`${root}/${latin}`, expression)) if (!sink.add({ path, ...found })) return;
  }
}

function isWanted(path: string, { include, exclude }: GrepJob): boolean {
  if (include !== '' && !fits(path, include)) return false;
  return exclude === '' || !fits(path, exclude);
}

const fits = (path: string, glob: string): boolean => matchesGlob(glob.includes('/') ? path : basename(path), glob);

function* linesOf(latinPath: string, expression: RegExp): Generator<Omit<GrepMatch, 'path'>, void> {
  for (const { lines, lineNumber, byteOffset } of textLines(latinPath)) {
    let offset = byteOffset;
    for (const [index, text] of lines.entries()) {
      const matches = matchesOf(expression, text);
      if (matches.length > 0) {
        yield {
          text: text.slice(0, maxShownCharacters),
          lineNumber: lineNumber + index,
          byteOffset: offset,
          matches,
        };
      }
      offset += Buffer.byteLength(text);
    }
  }
}

function matchesOf(expression: RegExp, text: string): GrepMatch['matches'] {
  const line = text.replace(/\r?\n$/, '');
  expression.lastIndex = 0;
  // Most lines do not match, and this is the cheapest way to know.
  if (!expression.test(line)) return [];
  expression.lastIndex = 0;
  const matches: GrepMatch['matches'] = [];
  for (const match of line.matchAll(expression)) {
    const start = Buffer.byteLength(line.slice(0, match.index));
    matches.push({ text: match[0].slice(0, maxShownCharacters), start, end: start + Buffer.byteLength(match[0]) });
    if (matches.length >= maxMatchesPerLine) break;
  }
  return matches;
}
