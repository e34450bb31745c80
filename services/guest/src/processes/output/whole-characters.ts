const continuationMask = 0xc0;
const continuation = 0x80;
const maxContinuations = 3;

/** Drops the rest of a character that a cut left at the beginning. */
export function wholeCharacters(bytes: Buffer): Buffer {
  let start = 0;
  while (start < maxContinuations && ((bytes[start] ?? 0) & continuationMask) === continuation) start += 1;
  return bytes.subarray(start);
}
