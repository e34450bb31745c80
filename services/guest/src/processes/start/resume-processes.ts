import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Guest } from '../../guest.ts';
import { systemCode } from '../../http/fault.ts';

const startupMarkerName = 'startup-command';

/**
 * Called when the guest starts: continues the processes of an earlier guest, and starts the startup command if no
 * earlier guest has.
 */
export async function resumeProcesses(guest: Guest): Promise<void> {
  const processes = await guest.processes();
  const { startupCommand, stateFolder } = guest.settings;
  if (startupCommand === undefined || !isFirst(join(stateFolder, startupMarkerName))) return;
  try {
    await processes.start({ command: startupCommand, workingDir: '/' });
  } catch (error) {
    guest.log.line('guest', { level: 'error', error: error instanceof Error ? error.message : String(error) });
  }
}

/** True once for each start of the container: the helper empties the folder when it starts. */
function isFirst(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}
