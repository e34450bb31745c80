// Selects the part of a file that a request asks for (RFC 9110, sections 13 and 14). Pure: headers and file attributes
// in, a decision out.
import type { IncomingHttpHeaders } from 'node:http';

export type Validators = { size: number; etag: string; changedAt: Date };

export type Selection =
  | { status: 200; start: 0; end: number }
  | { status: 206; start: number; end: number }
  | { status: 304 }
  | { status: 416 };

/** `end` is the first byte that is not sent. */
export function selectRange(headers: IncomingHttpHeaders, marks: Validators): Selection {
  if (isUnchanged(headers, marks)) return { status: 304 };
  const whole = { status: 200, start: 0, end: marks.size } as const;
  const range = headers.range === undefined ? undefined : parseRange(headers.range, marks.size);
  if (range === undefined || !rangeStillHolds(headers['if-range'], marks)) return whole;
  return range === 'none' ? { status: 416 } : { status: 206, ...range };
}

function isUnchanged(headers: IncomingHttpHeaders, { etag, changedAt }: Validators): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.split(',').some((tag) => tag.trim() === '*' || withoutWeakness(tag.trim()) === withoutWeakness(etag));
  }
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return Number.isFinite(since) && wholeSeconds(changedAt.getTime()) <= since;
}

/** Compares the exact date only: our tags are weak, and a weak tag never proves that two parts fit together. */
function rangeStillHolds(ifRange: string | string[] | undefined, { changedAt }: Validators): boolean {
  if (ifRange === undefined) return true;
  return Date.parse(ifRange.toString()) === wholeSeconds(changedAt.getTime());
}

/** Undefined for a header to ignore: another unit, several ranges, malformed text. */
function parseRange(header: string, size: number): { start: number; end: number } | 'none' | undefined {
  const match = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header);
  if (match === null) return undefined;
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return undefined;
  if (from === '')
    return Number(to) === 0 || size === 0 ? 'none' : { start: Math.max(0, size - Number(to)), end: size };
  const start = Number(from);
  const end = to === '' ? size : Math.min(size, Number(to) + 1);
  if (to !== '' && Number(to) < start) return undefined;
  return start >= size ? 'none' : { start, end };
}

const withoutWeakness = (tag: string) => tag.replace(/^W\//, '');
const wholeSeconds = (ms: number) => Math.floor(ms / 1000) * 1000;
