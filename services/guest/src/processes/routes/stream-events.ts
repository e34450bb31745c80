import type { ProcessStreamEvent } from '@berth/contract/guest';
import { startStream } from '../../http/answer.ts';
import { type Call, whenCallerLeaves } from '../../http/call.ts';
import type { ManagedProcess } from '../managed-process.ts';
import { PieceText } from '../output/piece-text.ts';
import { outputStart } from '../output/process-output.ts';
import { sendChunk } from './send-chunk.ts';

type Framing = 'ndjson' | 'sse';

const keepAliveMs = 5000;
const contentTypes = { ndjson: 'application/x-ndjson', sse: 'text/event-stream; charset=utf-8' };

/**
 * Streams output as events until the process has ended, then one result. A caller that leaves early ends the stream,
 * not the process.
 */
export async function streamEvents(call: Call, process: ManagedProcess, framing: Framing): Promise<void> {
  const { response } = call;
  const left = whenCallerLeaves(call);
  startStream(call, contentTypes[framing]);
  // Each event is written whole, so a keepalive always fits between two of them.
  const keepAlive = setInterval(() => {
    if (!response.writableNeedDrain) response.write(framed({ type: 'keepalive' }, framing));
  }, keepAliveMs);
  const texts = new PieceText();
  try {
    for await (const pieces of process.follow(outputStart, left)) {
      await sendChunk(response, eventsOf(texts.take(pieces), framing));
    }
    if (left.aborted) return;
    await sendChunk(response, eventsOf(texts.end(), framing));
    const result: ProcessStreamEvent = { type: 'result', data: JSON.stringify(await process.describe('whole')) };
    response.end(framed(result, framing));
  } catch (error) {
    call.guest.log.failure(call, error);
    response.end(framed({ type: 'error', data: 'The guest failed at reading the output. Try GET …/logs.' }, framing));
  } finally {
    clearInterval(keepAlive);
  }
}

function eventsOf(texts: readonly { stream: 'stdout' | 'stderr'; text: string }[], framing: Framing): string {
  return texts.map(({ stream, text }) => framed({ type: stream, data: text }, framing)).join('');
}

/** No empty line between two ndjson events: readers parse every line. */
function framed(event: ProcessStreamEvent, framing: Framing): string {
  if (framing === 'ndjson') return `${JSON.stringify(event)}\n`;
  return event.type === 'keepalive' ? ': keepalive\n\n' : `data: ${JSON.stringify(event)}\n\n`;
}
