// The newest output as text, in pieces: an answer of megabytes is sent while it is read, never held in memory.
import { StringDecoder } from 'node:string_decoder';
import { gapText, PieceText } from './piece-text.ts';
import type { ProcessOutput } from './process-output.ts';
import { wholeCharacters } from './whole-characters.ts';

const readBytes = 256 * 1024;

const leftOut = (stream: string) =>
  `[earlier output is left out here: GET …/logs?stream=${stream}&offset=0 reads what is kept of it]\n`;

/** Both streams in the order in which they were written, with the guest's markers. */
export function* logsTail(output: ProcessOutput, maxBytes: number, isMarked = false): Generator<string> {
  const end = output.end('all');
  let cursor = output.tail(maxBytes);
  const isCut = cursor.at > 0 || cursor.cut > 0;
  if (isCut && isMarked) yield leftOut('logs');
  const texts = new PieceText(isCut);
  for (let found = output.read(cursor); found !== undefined; found = output.read(cursor)) {
    for (const { text } of texts.take(found.pieces)) yield text;
    cursor = found.cursor;
    // Output that arrives during this read is left for the next call.
    if (cursor.at > end) break;
  }
  for (const { text } of texts.end()) yield text;
}

/** One stream as it was written. */
export function* streamTail(
  output: ProcessOutput,
  name: 'stdout' | 'stderr',
  maxBytes: number,
  isMarked = false,
): Generator<string> {
  const end = output.end(name);
  const start = Math.max(0, end - maxBytes);
  if (start > 0 && isMarked) yield leftOut(name);
  const decoder = new StringDecoder('utf8');
  let at = start;
  while (at < end) {
    const found = output.readStream(name, at, Math.min(readBytes, end - at));
    if (found === undefined) break;
    if (found.from > at && isMarked) yield `${decoder.end()}${gapText({ bytes: found.from - at, atHead: at === 0 })}\n`;
    yield decoder.write(at === start && found.from > 0 ? wholeCharacters(found.bytes) : found.bytes);
    at = found.next;
  }
  yield decoder.end();
}
