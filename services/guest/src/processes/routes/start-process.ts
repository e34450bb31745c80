import { ProcessRequest } from '@berth/contract/guest';
import type { Guest } from '../../guest.ts';
import { answerJson } from '../../http/answer.ts';
import { type Call, whenCallerLeaves } from '../../http/call.ts';
import { parseJson, readJson } from '../../http/read-body.ts';
import type { ManagedProcess } from '../managed-process.ts';
import { logsTail, streamTail } from '../output/output-text.ts';
import { processManagerOf } from '../process-manager.ts';
import { answerWithTexts } from './answer-with-texts.ts';
import { streamEvents } from './stream-events.ts';
import { offsetIn, sendOutput } from './stream-output.ts';
import { waitForProcess } from './wait-for-process.ts';

export async function startProcess(call: Call): Promise<void> {
  const request = await readJson(call, ProcessRequest);
  const format = call.query.get('format');
  const isStreamed = format !== null || (call.request.headers.accept ?? '').includes('text/event-stream');
  const offset = format === 'events' ? offsetIn(call) : 0;
  const action = isStreamed ? 'process_exec_stream' : 'process_exec';
  const processes = await processManagerOf(call.guest);
  const left = whenCallerLeaves(call);
  const process = await (isOnce(call) ? processes.startOnce(request, left) : processes.start(request));
  const { pid, name } = process.state;
  // Without the command: people write secrets into commands.
  call.guest.log.audit(action, call.caller, { name, pid });
  if (format === 'events') return sendOutput(call, process, offset);
  if (isStreamed) return streamEvents(call, process, format === 'sse' ? 'sse' : 'ndjson');
  const waits = request.waitForCompletion || (request.waitForPorts ?? []).length > 0;
  if (!waits) return answerJson(call, await process.describe('started'));
  await waitForProcess(process, request, left);
  if (left.aborted) return;
  if (!request.waitForCompletion) return answerJson(call, await process.describe('whole'));
  await answerWhole(call, process);
}

const isOnce = ({ query }: Call): boolean => query.get('once') === 'true';

/** A caller that waited for the end gets the output, as much as `/logs` would return. */
async function answerWhole(call: Call, process: ManagedProcess): Promise<void> {
  const { logs: _logs, stdout: _stdout, stderr: _stderr, ...fixed } = await process.describe('started');
  await answerWithTexts(call, fixed, textsOf(call.guest, process));
}

const textsOf = ({ settings }: Guest, { output }: ManagedProcess) => ({
  logs: logsTail(output, settings.logs.maxBytesInAnswer, true),
  stdout: streamTail(output, 'stdout', settings.logs.maxBytesInAnswer, true),
  stderr: streamTail(output, 'stderr', settings.logs.maxBytesInAnswer, true),
});

/**
 * Takes the steps of `startProcess` without a caller: code that has run before runs faster. Throws if nothing starts.
 */
export async function warmUpProcess(guest: Guest): Promise<void> {
  const request = parseJson(Buffer.from('{"command":"true","waitForCompletion":true}'), ProcessRequest);
  const processes = await processManagerOf(guest);
  const process = await processes.start(request);
  await waitForProcess(process, request, new AbortController().signal);
  await process.describe('started');
  for (const pieces of Object.values(textsOf(guest, process))) for (const _piece of pieces);
  processes.forget(process);
}
