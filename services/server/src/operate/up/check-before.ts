import { describe, lookAt } from '../checks/look.ts';
import { serviceContainers } from '../machine/docker.ts';
import { Fault } from '../machine/fault.ts';
import type { Step } from '../steps/run-steps.ts';
import type { UpContext } from './up-context.ts';

export const checkBefore: Step<UpContext> = {
  name: 'checks',
  async run(context) {
    const { print } = context;
    const found = await serviceContainers(context.run).catch(() => []);
    const { findings, passed } = await lookAt({ ...context, isInstalled: found.length > 0 }, 'before');
    for (const finding of findings) print(describe(finding));
    const faults = findings.filter(({ isWarning }) => !isWarning);
    const [first] = faults;
    if (first !== undefined)
      throw new Fault(
        `This machine is not ready: ${faults.map(({ name }) => name).join(', ')}. Nothing was changed.`,
        `${first.fix}, then run the same command again`,
      );
    return `${passed.length} passed`;
  },
};
