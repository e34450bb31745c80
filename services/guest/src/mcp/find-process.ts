import type { Guest } from '../guest.ts';
import { Fault } from '../http/fault.ts';
import type { ProcessHandle } from '../processes/processes.ts';

export async function findProcess(guest: Guest, identifier: string): Promise<ProcessHandle> {
  const processes = await guest.processes();
  const found = processes.find(identifier);
  if (found === undefined) {
    throw new Fault(404, `There is no process ${identifier.slice(0, 200)}. processesList shows pids and names.`);
  }
  return found;
}
