import type { Guest } from '../guest.ts';
import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import type { ProcessIdentity } from '../proc/process-members.ts';

/** The pid in the path is the one shown, which a process keeps when it is restarted under another. */
export function shownPid({ params }: Call): number {
  const text = params.pid ?? '';
  const pid = Number(text);
  if (!/^\d{1,10}$/.test(text) || pid === 0) {
    throw new Fault(
      400,
      `The pid must be a whole number above 0, not "${text.slice(0, 50)}". GET /process lists them.`,
    );
  }
  return pid;
}

/** A process of the guest, otherwise any process of the sandbox with that pid. */
export async function processIdentityOf(guest: Guest, pid: number): Promise<ProcessIdentity> {
  const processes = await guest.processes();
  return processes.find(String(pid))?.identity() ?? { pid };
}
