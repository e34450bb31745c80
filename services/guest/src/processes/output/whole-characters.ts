const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;
const MOST_CONTINUATIONS = 3;

/** Drops the rest of a character that a cut left at the beginning. */
export function wholeCharacters(bytes: Buffer): Buffer {
  let start = 0;
  while (start < MOST_CONTINUATIONS && ((bytes[start] ?? 0) & CONTINUATION_MASK) === CONTINUATION) start += 1;
  return bytes.subarray(start);
}
