// Matches as lines of JSON in the form of ripgrep's --json, which programs and models know how to read.
import type { GrepMatch } from '../search/search-lines.ts';

/** `truncated` is an addition to ripgrep's form: more lines match than are returned. */
export function grepReport(found: readonly GrepMatch[], isTruncated: boolean): string {
  const events: string[] = [];
  let linesOfFile = 0;
  for (const [index, line] of found.entries()) {
    if (linesOfFile === 0) events.push(event('begin', { path: { text: line.path } }));
    events.push(matchOf(line));
    linesOfFile += 1;
    if (found[index + 1]?.path === line.path) continue;
    const stats = { matched_lines: linesOfFile };
    events.push(event('end', { path: { text: line.path }, binary_offset: null, stats }));
    linesOfFile = 0;
  }
  events.push(event('summary', { stats: { matched_lines: found.length }, truncated: isTruncated }));
  return events.join('');
}

const matchOf = ({ path, text, lineNumber, byteOffset, matches }: GrepMatch): string =>
  event('match', {
    path: { text: path },
    lines: { text },
    line_number: lineNumber,
    absolute_offset: byteOffset,
    submatches: matches.map(({ text: matched, start, end }) => ({ match: { text: matched }, start, end })),
  });

const event = (type: string, data: object): string => `${JSON.stringify({ type, data })}\n`;
