// The exact output of a process as events. Each names the offset of the next one, so a reader that was cut off continues there:
// no byte is lost or repeated.
import { isUtf8 } from 'node:buffer';
import type { ProcessOutputEvent } from '@berth/contract/guest';
import { startStream } from '../../http/answer.ts';
import { type Call, whenCallerLeaves } from '../../http/call.ts';
import { Fault } from '../../http/fault.ts';
import type { ManagedProcess } from '../managed-process.ts';
import { gapText } from '../output/piece-text.ts';
import type { Piece } from '../output/process-output.ts';
import { findProcess } from './find-process.ts';
import { sendChunk } from './send-chunk.ts';

const keepAliveMs = 5000;

export async function streamOutput(call: Call): Promise<void> {
  const process = await findProcess(call);
  const offset = offsetIn(call);
  call.guest.log.audit('process_output', call.caller, { name: process.state.name, pid: process.state.pid });
  return sendOutput(call, process, offset);
}

export function offsetIn({ query }: Call): number {
  const text = query.get('offset') ?? '0';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Fault(400, `offset is the last "next" that arrived, a whole number, not "${text.slice(0, 50)}".`);
}

/** Ends with the process. A caller that leaves early ends the stream, not the process. */
export async function sendOutput(call: Call, process: ManagedProcess, offset: number): Promise<void> {
  const { response } = call;
  const left = whenCallerLeaves(call);
  startStream(call, 'application/x-ndjson');
  if (call.headOnly) return void response.end();
  // Each event is written whole, so a keepalive always fits between two of them.
  const keepAlive = setInterval(() => {
    if (!response.writableNeedDrain) response.write(line({ type: 'keepalive' }));
  }, keepAliveMs);
  try {
    for await (const pieces of process.follow(process.output.cursorToContinue(offset), left)) {
      await sendChunk(response, pieces.map((piece) => line(eventOf(piece))).join(''));
    }
    if (left.aborted) return;
    response.end(line({ type: 'end', process: await process.describe('started') }));
  } catch (error) {
    call.guest.log.failure(call, error);
    response.end(line({ type: 'error', data: 'The guest failed at reading the output. Continue at the last "next".' }));
  } finally {
    clearInterval(keepAlive);
  }
}

const line = (event: ProcessOutputEvent): string => `${JSON.stringify(event)}\n`;

function eventOf(piece: Piece): ProcessOutputEvent {
  const { next } = piece;
  if (piece.kind === 'marker') return { type: 'notice', data: piece.text, next };
  if (piece.kind === 'gap') return { type: 'gap', data: gapText(piece), next };
  const { stream: type, bytes } = piece;
  if (isUtf8(bytes)) return { type, data: bytes.toString('utf8'), next };
  return { type, data: bytes.toString('base64'), encoding: 'base64', next };
}
