import { ProcessRequest } from '@berth/contract/guest';
import { answerJson } from '../http/answer.ts';
import { type Call, whenCallerLeaves } from '../http/call.ts';
import { readJson } from '../http/read-body.ts';
import { answerWithTexts } from './answer-with-texts.ts';
import { manageProcesses } from './manage-processes.ts';
import type { Managed } from './managed-process.ts';
import { logsTail, streamTail } from './output-text.ts';
import { streamEvents } from './stream-events.ts';
import { waitFor } from './wait-for.ts';

export async function startProcess(call: Call): Promise<void> {
  const wish = await readJson(call, ProcessRequest);
  const isSse = call.query.get('format') === 'sse';
  const isStreamed = isSse || (call.request.headers.accept ?? '').includes('text/event-stream');
  const action = isStreamed ? 'process_exec_stream' : 'process_exec';
  const processes = await manageProcesses(call.guest);
  const left = whenCallerLeaves(call);
  const process = await processes.start(wish);
  const { pid, name } = process.state;
  // Not the command: people write secrets into them.
  call.guest.log.audit(action, call.caller, { name, pid });
  if (isStreamed) return streamEvents(call, process, isSse ? 'sse' : 'ndjson');
  const waits = wish.waitForCompletion || (wish.waitForPorts ?? []).length > 0;
  if (!waits) return answerJson(call, await process.describe('started'));
  await waitFor(process, wish, left);
  if (left.aborted) return;
  if (!wish.waitForCompletion) return answerJson(call, await process.describe('whole'));
  await answerWhole(call, process);
}

/** Whoever waited for the end wants what it printed: as much as `/logs` would give. */
async function answerWhole(call: Call, process: Managed): Promise<void> {
  const { logs: _logs, stdout: _stdout, stderr: _stderr, ...fixed } = await process.describe('started');
  const most = call.guest.settings.logs.mostBytesInAnswer;
  await answerWithTexts(call, fixed, {
    logs: logsTail(process.output, most, true),
    stdout: streamTail(process.output, 'stdout', most, true),
    stderr: streamTail(process.output, 'stderr', most, true),
  });
}
