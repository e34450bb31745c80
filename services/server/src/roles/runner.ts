import { startRunner } from '@berth/runner';
import { defineRole } from '../role.ts';
import { runnerSection } from '../sections/runner.ts';

export const runnerRole = defineRole({
  name: 'runner',
  healthPort: 9082,
  sections: { runner: runnerSection },
  start: ({ runner }, { logger, registry }) => startRunner({ config: runner, logger, registry }),
});
