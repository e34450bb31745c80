import type { ProcessLogRange } from '@berth/contract/guest';
import { answerJson } from '../../http/answer.ts';
import type { Call } from '../../http/call.ts';
import { Fault } from '../../http/fault.ts';
import { logsTail, streamTail } from '../output/output-text.ts';
import { readLogRange } from '../output/read-log-range.ts';
import { answerWithTexts } from './answer-with-texts.ts';
import { findProcess } from './find-process.ts';

const streamNames = ['stdout', 'stderr', 'logs'] as const;

export async function readLogs(call: Call): Promise<void> {
  const process = await findProcess(call);
  const { guest, query } = call;
  guest.log.audit('process_logs_access', call.caller, { name: process.state.name, pid: process.state.pid });
  const maxBytes = guest.settings.logs.maxBytesInAnswer;
  const isRange = ['stream', 'offset', 'limit'].some((name) => query.has(name));
  if (!isRange) {
    return answerWithTexts(
      call,
      {},
      {
        stdout: streamTail(process.output, 'stdout', maxBytes, true),
        stderr: streamTail(process.output, 'stderr', maxBytes, true),
        logs: logsTail(process.output, maxBytes, true),
      },
    );
  }
  const limit = Math.min(maxBytes, wholeNumber(query, 'limit', 1) ?? maxBytes);
  // Captured before the read: output written afterwards is still to come.
  const isOver = !process.isRunning();
  const range = readLogRange(process.output, streamOf(query), wholeNumber(query, 'offset', 0), limit);
  const answer: ProcessLogRange = { ...range, ended: isOver && range.data === '' };
  answerJson(call, answer);
}

function streamOf(query: URLSearchParams): (typeof streamNames)[number] {
  const given = query.get('stream') ?? 'logs';
  const stream = streamNames.find((name) => name === given);
  if (stream === undefined)
    throw new Fault(400, `stream is one of ${streamNames.join(', ')}, not "${given.slice(0, 50)}".`);
  return stream;
}

function wholeNumber(query: URLSearchParams, name: string, min: number): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (/^\d{1,15}$/.test(text) && value >= min) return value;
  throw new Fault(400, `${name} is a whole number from ${min} on, not "${text.slice(0, 50)}".`);
}
