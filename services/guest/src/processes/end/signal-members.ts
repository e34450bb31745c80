// Signals everything that belongs to a process. The helper signals the group, because it knows whether the pid still
// belongs to the process; members that left the group are found by descent and by the mark in their environment.

import type { ProcessIdentity } from '../../proc/process-members.ts';
import { SharedProcessTable } from '../../proc/shared-process-table.ts';
import type { ProcessKey, Supervisor } from '../../supervisor/supervisor.ts';
import { callAt } from './deadline.ts';
import { killSignal } from './signals.ts';

const groupFirstMs = 20;
const processes = new SharedProcessTable(groupFirstMs);

export function signalMembers(
  supervisor: Supervisor,
  identity: ProcessIdentity & { key: ProcessKey },
  signal: number,
): void {
  if (identity.pid <= 0) return;
  supervisor.signal(identity.key, signal);
  // A fork bomb must be gone before its processes are examined one by one. Members of the group already have the signal
  // and are skipped, because some programs take a second one for a demand to hurry.
  processes.use((table) => {
    for (const pid of table.membersOf(identity)) if (table.groupOf(pid) !== identity.pid) signalOne(pid, signal);
  });
}

/** Called after the leader has ended. Kills at the given time, soon if it has passed. */
export function killLeftovers(identity: ProcessIdentity, timeMs = Date.now()): void {
  processes.use((table) => {
    const members = table.membersOf(identity);
    if (members.length === 0) return;
    if (timeMs > Date.now()) callAt(timeMs, () => killLeftovers(identity, timeMs));
    else for (const pid of members) signalOne(pid, killSignal);
  });
}

function signalOne(pid: number, signal: number): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process is gone, or runs as another account: a workload user may not signal what it started through sudo.
  }
}
