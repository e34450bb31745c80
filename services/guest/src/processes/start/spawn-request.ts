import type { Settings } from '../../settings.ts';
import type { ProcessKey, SpawnRequest } from '../../supervisor/supervisor.ts';
import type { ProcessState } from '../state/process-state.ts';
import { processEnvironment } from './process-environment.ts';

export type Attempt = {
  key: ProcessKey;
  logFolder: string;
  maxLogBytes: number;
  /** Variables that the process inherits. */
  inherited: Readonly<Record<string, string | undefined>>;
};

/** The request to the helper for one attempt: the command, run by the shell of the sandbox. */
export function spawnRequest(
  state: ProcessState,
  { shell, workloadUser }: Settings,
  { key, logFolder, maxLogBytes, inherited }: Attempt,
): SpawnRequest {
  return {
    args: [shell.program, ...shell.args, state.command],
    env: processEnvironment({ inherited, requested: state.env, key, workloadUser }),
    workingDirectory: state.workingDirectory,
    logFolder,
    maxLogBytes,
    input: state.takesInput ? 'pipe' : 'none',
  };
}
