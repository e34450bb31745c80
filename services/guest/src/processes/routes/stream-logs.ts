import { startStream } from '../../http/answer.ts';
import { type Call, whenCallerLeaves } from '../../http/call.ts';
import { PrefixedLines } from '../output/prefixed-lines.ts';
import { outputStart } from '../output/process-output.ts';
import { findProcess } from './find-process.ts';
import { sendChunk } from './send-chunk.ts';
import { streamEvents } from './stream-events.ts';

const keepAliveMs = 30_000;
const keepAliveLine = '[keepalive]\n';

/** Streams everything that is kept, then new output, until the process has ended and all of it is sent. */
export async function streamLogs(call: Call): Promise<void> {
  const process = await findProcess(call);
  const { response } = call;
  call.guest.log.audit('process_logs_stream', call.caller, { name: process.state.name, pid: process.state.pid });
  if (call.query.get('format') === 'sse') return streamEvents(call, process, 'sse');
  const left = whenCallerLeaves(call);
  startStream(call, 'text/plain; charset=utf-8');
  if (call.headOnly) {
    response.end();
    return;
  }
  const lines = new PrefixedLines();
  let isDue = false;
  const keepAlive = () => {
    if (!isDue || !lines.isAtLineStart || response.writableNeedDrain) return;
    isDue = false;
    response.write(keepAliveLine);
  };
  const timer = setInterval(() => {
    isDue = true;
    keepAlive();
  }, keepAliveMs);
  try {
    for await (const pieces of process.follow(outputStart, left)) {
      await sendChunk(response, lines.take(pieces));
      keepAlive();
    }
    if (!left.aborted) response.end(lines.end());
  } finally {
    clearInterval(timer);
  }
}
