import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Step } from '../steps/run-steps.ts';
import type { UninstallContext } from './uninstall-context.ts';

/** The settings go with the data: they hold the master key, without which the data cannot be opened. */
export const removeData: Step<UninstallContext> = {
  name: 'data',
  isDone: async ({ places, deletesData }) =>
    !deletesData || ![places.data, places.configuration].some((folder) => existsSync(folder)),
  async run({ places }) {
    await rm(places.data, { recursive: true, force: true });
    await rm(places.configuration, { recursive: true, force: true });
    return 'deleted';
  },
};
