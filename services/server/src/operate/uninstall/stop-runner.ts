import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Installation } from '../install/installation.ts';
import { runnerUnitName } from '../machine/places.ts';
import type { Step } from '../steps/run-steps.ts';

export const stopRunner: Step<Installation> = {
  name: 'runner',
  isDone: async ({ places }) => !existsSync(places.runnerUnit),
  async run({ places, run }) {
    await run('systemctl', ['disable', '--now', runnerUnitName]);
    await rm(places.runnerUnit, { force: true });
    await run('systemctl', ['daemon-reload']);
    // A unit that has failed is listed until it is reset. systemd refuses that for a unit it does not know.
    await run('systemctl', ['reset-failed', runnerUnitName]).catch(() => {});
    return undefined;
  },
};
