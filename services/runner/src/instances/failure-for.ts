import type { DesiredInstance } from '@berth/contract/node';
import type { ContainerState } from '../driver/driver.ts';
import type { Failure } from '../failures/failure.ts';
import { lastOutput } from '../logs/last-output.ts';
import type { Step } from './decide.ts';
import { crashLoop, lost, outOfMemory } from './explain.ts';

/** Failure to report for an instance that is given up. */
export async function failureFor(
  { code, failedStarts, isLost }: Extract<Step, { do: 'fail' }>,
  desired: DesiredInstance,
  state: ContainerState | undefined,
): Promise<Failure> {
  if (isLost) return { code, message: lost(desired, state) };
  if (code === 'out_of_memory') return outOfMemory(desired);
  return crashLoop(failedStarts, { exitCode: state?.exitCode, output: await lastOutput(state?.logFile) });
}
