// Signals to everything that belongs to a process. Its group is the helper's to signal, which knows whether the number
// is still its own; whoever left the group is found by descent and by the mark in its environment.

import { processStat } from '../ports/proc-files.ts';
import { membersOf, type ProcessIdentity } from '../ports/process-members.ts';
import type { ProcessKey, Supervisor } from '../supervisor/supervisor.ts';
import { atTime } from './deadline.ts';
import { KILL } from './restart.ts';

const GROUP_FIRST_MS = 20;

export function signalMembers(
  supervisor: Supervisor,
  identity: ProcessIdentity & { key: ProcessKey },
  signal: number,
): void {
  if (identity.pid <= 0) return;
  supervisor.signal(identity.key, signal);
  // A bomb of processes must be gone before they are looked at one by one. Who is in the group has been told already, and some
  // take a second word for a command to hurry.
  setTimeout(() => {
    for (const pid of membersOf(identity)) if (processStat(pid)?.group !== identity.pid) signalOne(pid, signal);
  }, GROUP_FIRST_MS);
}

/** After the end of its leader: at the given time, which may have passed. */
export function killLeftovers(identity: ProcessIdentity, timeMs = Date.now()): void {
  if (membersOf(identity).length === 0) return;
  atTime(timeMs, () => {
    for (const pid of membersOf(identity)) signalOne(pid, KILL);
  });
}

function signalOne(pid: number, signal: number): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone meanwhile, or of another account: a workload user may not signal what it started through sudo.
  }
}
