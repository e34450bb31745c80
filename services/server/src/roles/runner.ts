import { defineRole } from '../role.ts';
import { runnerSection } from '../sections/runner.ts';

export const runnerRole = defineRole({
  name: 'runner',
  healthPort: 9082,
  sections: { runner: runnerSection },
  async start({ runner }, { logger, registry }) {
    const { startRunner } = await import('@berth/runner');
    return startRunner({ config: runner, logger, registry });
  },
});
