import type { Call } from '../http/call.ts';
import { writeAndFlush } from './write-and-flush.ts';

const joinedCharacters = 32 * 1024;

/**
 * Sends a JSON answer that is too long to hold in memory: a hundred at once must not cost a hundred times their length.
 * A short answer is sent in one piece, with its length.
 */
export async function answerPieces({ response, headOnly }: Call, pieces: AsyncIterable<string>): Promise<void> {
  response.setHeader('content-type', 'application/json; charset=utf-8');
  let waiting = '';
  for await (const piece of pieces) {
    waiting += piece;
    if (waiting.length < joinedCharacters) continue;
    // HEAD needs no more than this; the rest is not generated.
    if (headOnly) break;
    await writeAndFlush(response, Buffer.from(waiting));
    waiting = '';
  }
  const rest = Buffer.from(waiting);
  if (!response.headersSent && waiting.length < joinedCharacters) response.setHeader('content-length', rest.length);
  response.end(headOnly ? undefined : rest);
}
