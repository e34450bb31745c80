import type { Step } from '../steps/run-steps.ts';
import type { UninstallContext } from './uninstall-context.ts';

const dockerUrl = 'unix:///var/run/docker.sock';

/** Instances with their files, their network, their images and their firewall. */
export const removeInstances: Step<UninstallContext> = {
  name: 'instances',
  async run({ places, logger }) {
    const { removeFromMachine } = await import('@berth/runner');
    const { containers, networks, images } = await removeFromMachine(
      { dockerUrl, stateFolder: places.runnerState },
      logger,
    );
    return `${containers} containers, ${networks} networks, ${images} images`;
  },
};
