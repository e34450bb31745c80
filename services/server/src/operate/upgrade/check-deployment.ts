import { doctor } from '../doctor/doctor.ts';
import type { Step } from '../steps/run-steps.ts';
import type { UpgradeContext } from './upgrade-context.ts';

/** An upgrade of a deployment that is not healthy could not tell its own faults. */
export const checkDeployment: Step<UpgradeContext> = {
  name: 'checks',
  isDone: async ({ isContinued, move }) => isContinued || move.from === move.to,
  async run(context) {
    await doctor(context, { json: false });
    return 'healthy';
  },
};
