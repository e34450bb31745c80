import type { Call } from '../../http/call.ts';
import { sendChunk } from './send-chunk.ts';

const pieceCharacters = 64 * 1024;

/** Sends an object whose last members are long texts, streamed as they are read. */
export async function answerWithTexts(
  { response }: Call,
  fixed: object,
  texts: Readonly<Record<string, Iterable<string>>>,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
  let waiting = JSON.stringify(fixed).slice(0, -1);
  let separator = waiting === '{' ? '' : ',';
  for (const [name, pieces] of Object.entries(texts)) {
    waiting += `${separator}${JSON.stringify(name)}:"`;
    separator = ',';
    for (const piece of pieces) {
      waiting += JSON.stringify(piece).slice(1, -1);
      if (waiting.length < pieceCharacters) continue;
      await sendChunk(response, waiting);
      waiting = '';
      if (response.destroyed) return;
    }
    waiting += '"';
  }
  response.end(`${waiting}}`);
}
