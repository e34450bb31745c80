import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Guest } from '../guest.ts';
import { systemCode } from '../http/fault.ts';

const STARTED = 'startup-command';

/** When the guest starts: goes on with what an earlier one left, and starts the startup command if none has. */
export async function resumeProcesses(guest: Guest): Promise<void> {
  const processes = await guest.processes();
  const { startupCommand, stateFolder } = guest.settings;
  if (startupCommand === undefined || !isFirst(join(stateFolder, STARTED))) return;
  try {
    await processes.start({ command: startupCommand, workingDir: '/' });
  } catch (error) {
    guest.log.line('guest', { level: 'error', error: error instanceof Error ? error.message : String(error) });
  }
}

/** Once for each life of the container: the helper empties the folder when it starts. */
function isFirst(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}
