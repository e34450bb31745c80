import { constants } from 'node:os';
import { ProcessSignalRequest } from '@berth/contract/guest';
import { answerJson } from '../../http/answer.ts';
import type { Call } from '../../http/call.ts';
import { Fault } from '../../http/fault.ts';
import { readJson } from '../../http/read-body.ts';
import { findProcess, notRunning } from './find-process.ts';

const maxSignal = 64;

export async function signalProcess(call: Call): Promise<void> {
  const { signal } = await readJson(call, ProcessSignalRequest);
  const number = signalNumber(signal);
  const process = await findProcess(call);
  const { name, pid } = process.state;
  call.guest.log.audit('process_signal', call.caller, { name, pid, signal: number });
  if (!process.signal(number)) throw notRunning(process);
  answerJson(call, { message: `Signal ${signal} was sent to process ${name} (pid ${pid}).` });
}

function signalNumber(signal: string | number): number {
  const known: Readonly<Record<string, number>> = constants.signals;
  const text = String(signal).toUpperCase();
  const number = /^\d+$/.test(text) ? Number(text) : (known[text] ?? known[`SIG${text}`] ?? 0);
  if (number >= 1 && number <= maxSignal) return number;
  throw new Fault(
    400,
    `"${String(signal).slice(0, 50)}" is no signal. Give a name such as SIGHUP, or a number from 1 to ${maxSignal}.`,
  );
}
