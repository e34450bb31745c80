import { apiSection } from '../sections/api.ts';
import { runnerSection } from '../sections/runner.ts';
import { defineRole } from './server-role.ts';

export const runnerRole = defineRole({
  name: 'runner',
  healthPort: 9082,
  // The runner needs the api section for the brand.
  sections: { runner: runnerSection, api: apiSection },
  async start({ runner, api }, { logger, registry, spans }) {
    const { startRunner } = await import('@berth/runner');
    return startRunner({ config: runner, brand: api.brand, logger, registry, spans });
  },
});
