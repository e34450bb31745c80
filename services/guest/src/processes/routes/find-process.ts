import type { Call } from '../../http/call.ts';
import { Fault } from '../../http/fault.ts';
import type { ManagedProcess } from '../managed-process.ts';
import { processManagerOf } from '../process-manager.ts';

/** Finds a process by its shown pid, or the newest process of that name. */
export async function findProcess({ guest, params }: Call): Promise<ManagedProcess> {
  const identifier = params.identifier ?? '';
  const process = (await processManagerOf(guest)).find(identifier);
  if (process === undefined) {
    throw new Fault(404, `Process '${identifier.slice(0, 200)}' not found. GET /process lists those that are known.`);
  }
  return process;
}

export function notRunning({ state }: ManagedProcess): Fault {
  return new Fault(
    404,
    `Process '${state.name}' (pid ${state.pid}) is not running. GET /process/${state.pid} says how it ended.`,
  );
}
