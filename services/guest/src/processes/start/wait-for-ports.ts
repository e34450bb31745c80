import { Fault } from '../../http/fault.ts';
import type { ProcessIdentity } from '../../proc/process-members.ts';
import { logsTail } from '../output/output-text.ts';
import type { ProcessOutput } from '../output/process-output.ts';
import type { ChangeListeners } from '../state/change-listeners.ts';
import type { ProcessState } from '../state/process-state.ts';

const pollMs = 200;
const lastOutputBytes = 2000;

type StartedProcess = {
  state: ProcessState;
  output: ProcessOutput;
  isRunning(): boolean;
  identity(): ProcessIdentity;
};

/** Resolves when every port is served or `until` aborts; throws a Fault when the process ends before that. */
export async function waitForPorts(
  process: StartedProcess,
  changes: ChangeListeners,
  ports: readonly number[],
  until?: AbortSignal,
): Promise<void> {
  const { portsReady } = await import('../../ports/served-ports.ts');
  while (!until?.aborted) {
    if (!process.isRunning()) throw endedBefore(ports, process);
    if (process.state.attempt.pid > 0 && portsReady(process.identity(), ports)) return;
    await changes.nextWithin(pollMs);
  }
}

function endedBefore(ports: readonly number[], { state: { name, outcome }, output }: StartedProcess): Fault {
  const last = [...logsTail(output, lastOutputBytes)].join('').trimEnd();
  const ended = `Process ${name} ended with exit code ${outcome?.exitCode ?? -1} before it served port ${ports.join(', ')}.`;
  return new Fault(422, last ? `${ended} Its last output: ${last}` : `${ended} It printed nothing.`);
}
