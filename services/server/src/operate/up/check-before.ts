import { describe, type LookResult, lookAt } from '../checks/look.ts';
import type { MachineContext } from '../install/machine-context.ts';
import { serviceContainers } from '../machine/docker.ts';
import { Fault } from '../machine/fault.ts';
import type { Step } from '../steps/run-steps.ts';
import type { UpContext } from './up-context.ts';

export const checkBefore: Step<UpContext> = {
  name: 'checks',
  async run(context) {
    const found = await serviceContainers(context.run).catch(() => []);
    return requireReady(context, await lookAt({ ...context, isInstalled: found.length > 0 }, 'before'));
  },
};

/** Prints what was found, and refuses a machine with a fault. */
export function requireReady({ print }: Pick<MachineContext, 'print'>, { findings, passed }: LookResult): string {
  for (const finding of findings) print(describe(finding));
  const faults = findings.filter(({ isWarning }) => !isWarning);
  const [first] = faults;
  if (first !== undefined)
    throw new Fault(
      `This machine is not ready: ${faults.map(({ name }) => name).join(', ')}. Nothing was changed.`,
      `${first.fix}, then run the same command again`,
    );
  return `${passed.length} passed`;
}
