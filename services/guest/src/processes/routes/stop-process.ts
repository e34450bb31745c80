import { answerJson } from '../../http/answer.ts';
import type { Call } from '../../http/call.ts';
import { Fault } from '../../http/fault.ts';
import { processManagerOf } from '../process-manager.ts';
import { findProcess, notRunning } from './find-process.ts';

const maxGraceSeconds = 3600;

export async function stopProcess(call: Call): Promise<void> {
  const grace = graceSeconds(call.query.get('grace'));
  const process = await findProcess(call);
  const { name, pid } = process.state;
  call.guest.log.audit('process_stop', call.caller, { name, pid });
  if (!process.stop(grace)) throw notRunning(process);
  answerJson(call, { message: `Process ${name} (pid ${pid}) is being stopped.` });
}

export async function killProcess(call: Call): Promise<void> {
  if (call.query.get('once') === 'true') return cancelProcess(call);
  const process = await findProcess(call);
  const { name, pid } = process.state;
  call.guest.log.audit('process_kill', call.caller, { name, pid });
  if (!process.kill()) throw notRunning(process);
  answerJson(call, { message: `Process ${name} (pid ${pid}) is being killed.` });
}

/** For who has started it with `once`, and does not know whether the start has arrived. */
async function cancelProcess(call: Call): Promise<void> {
  const name = call.params.identifier ?? '';
  call.guest.log.audit('process_kill', call.caller, { name });
  await (await processManagerOf(call.guest)).cancel(name);
  answerJson(call, { message: `Process ${name} is being killed, or does not start.` });
}

function graceSeconds(text: string | null): number | undefined {
  if (text === null) return undefined;
  const seconds = Number(text);
  if (text !== '' && seconds >= 0 && seconds <= maxGraceSeconds) return seconds;
  throw new Fault(400, `grace is a number of seconds from 0 to ${maxGraceSeconds}, not "${text.slice(0, 50)}".`);
}
