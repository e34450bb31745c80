import { readlink, rm } from 'node:fs/promises';
import type { Installation } from '../install/installation.ts';
import type { Step } from '../steps/run-steps.ts';

export const removeFiles: Step<Installation> = {
  name: 'files',
  async run({ places }) {
    const target = await readlink(places.program).catch(() => undefined);
    if (target?.startsWith(`${places.releases}/`)) await rm(places.program);
    for (const path of [places.runnerEnvironment, places.firstKey, places.modules]) await rm(path, { force: true });
    await rm(places.releases, { recursive: true, force: true });
    return undefined;
  },
};
