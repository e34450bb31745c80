// Signals everything that belongs to a process. The helper signals the group, because it knows whether the pid still
// belongs to the process; members that left the group are found by descent and by the mark in their environment.

import { processStat } from '../../proc/proc-files.ts';
import { membersOf, type ProcessIdentity } from '../../proc/process-members.ts';
import type { ProcessKey, Supervisor } from '../../supervisor/supervisor.ts';
import { callAt } from './deadline.ts';
import { killSignal } from './signals.ts';

const groupFirstMs = 20;

export function signalMembers(
  supervisor: Supervisor,
  identity: ProcessIdentity & { key: ProcessKey },
  signal: number,
): void {
  if (identity.pid <= 0) return;
  supervisor.signal(identity.key, signal);
  // A fork bomb must be gone before its processes are examined one by one. Members of the group already have the signal
  // and are skipped, because some programs take a second one for a demand to hurry.
  setTimeout(() => {
    for (const pid of membersOf(identity)) if (processStat(pid)?.group !== identity.pid) signalOne(pid, signal);
  }, groupFirstMs);
}

/** Called after the leader has ended. Kills at the given time, at once if it has passed. */
export function killLeftovers(identity: ProcessIdentity, timeMs = Date.now()): void {
  if (membersOf(identity).length === 0) return;
  callAt(timeMs, () => {
    for (const pid of membersOf(identity)) signalOne(pid, killSignal);
  });
}

function signalOne(pid: number, signal: number): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process is gone, or runs as another account: a workload user may not signal what it started through sudo.
  }
}
