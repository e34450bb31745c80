// Lines in a window of bytes.

const lineFeed = 10;
const carriageReturn = 13;
const maxShownBytes = 1_000;
const shownBeforeHitBytes = 200;

/** Start of the line that contains `at`. */
export function lineBefore(window: Buffer, at: number): number {
  return at === 0 ? 0 : window.lastIndexOf(lineFeed, at - 1) + 1;
}

/** Start of the line after that of `at`; undefined when the end of the line is not in the window. */
export function lineAfter(window: Buffer, at: number, filled: number): number | undefined {
  const newLine = window.indexOf(lineFeed, at);
  return newLine < 0 || newLine >= filled ? undefined : newLine + 1;
}

export function countLines(window: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) if (window[at] === lineFeed) count += 1;
  return count;
}

/** Shows a long line only around the hit, without half a character at either end. */
export function shownLine(window: Buffer, start: number, filled: number, hit = start): string {
  const next = lineAfter(window, start, filled);
  let end = next === undefined ? filled : next - 1;
  if (end > start && window[end - 1] === carriageReturn) end -= 1;
  if (end - start <= maxShownBytes) return window.toString('utf8', start, end);
  let from = Math.max(start, hit - shownBeforeHitBytes);
  let to = Math.min(end, from + maxShownBytes);
  while (from < hit && isContinuation(window[from])) from += 1;
  while (to > from && to < end && isContinuation(window[to])) to -= 1;
  return window.toString('utf8', from, to);
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
