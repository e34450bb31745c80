import { ProcessInputRequest } from '@berth/contract/guest';
import { answerJson } from '../../http/answer.ts';
import type { Call } from '../../http/call.ts';
import { Fault } from '../../http/fault.ts';
import { readJson } from '../../http/read-body.ts';
import { findProcess, notRunning } from './find-process.ts';

/** Answers when the bytes have been handed to the process: back-pressure for the caller. */
export async function writeInput(call: Call): Promise<void> {
  const { data = '', encoding = 'utf8', end = false } = await readJson(call, ProcessInputRequest);
  const process = await findProcess(call);
  const { state } = process;
  if (!process.isRunning()) throw notRunning(process);
  if (!state.takesInput) {
    throw new Fault(422, `Process '${state.name}' has no input. Start it with "stdin": true.`);
  }
  const { key } = state.attempt;
  const bytes = Buffer.from(data, encoding);
  if (!(await call.guest.supervisor.write(key, bytes))) {
    throw new Fault(422, `Process '${state.name}' reads no more input.`);
  }
  if (end) call.guest.supervisor.endInput(key);
  answerJson(call, { message: `${bytes.length} bytes were handed to process ${state.name} (pid ${state.pid}).` });
}
