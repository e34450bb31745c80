import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { imageNames } from '../install/image-names.ts';
import type { Installation } from '../install/installation.ts';
import { requireDeployment } from '../install/require-record.ts';
import type { Step } from '../steps/run-steps.ts';
import { keptReleases } from './plan-move.ts';
import { usedReleases } from './used-releases.ts';

/** Keeps the release that runs, the release before, and those whose guest a sandbox uses. */
export const removeOldReleases: Step<Installation> = {
  name: 'old releases',
  async run(installation) {
    const { places, run } = installation;
    const kept = keptReleases(requireDeployment(installation));
    const used = await usedReleases(places.releases);
    const found = await readdir(places.releases);
    const releases = found.filter(
      (name) => existsSync(join(places.releases, name, 'release.json')) && name !== 'current',
    );
    const old = releases.filter((name) => !kept.includes(name) && !used.has(name));
    for (const name of old) {
      // Docker refuses while a container has the image.
      await run('docker', ['image', 'rm', imageNames(name, {}).BERTH_CONTROL_IMAGE]).catch(() => {});
      await rm(join(places.releases, name), { recursive: true, force: true });
    }
    const inUse = releases.filter((name) => !kept.includes(name) && used.has(name));
    const removed = old.length === 0 ? 'none removed' : `removed ${old.join(', ')}`;
    return inUse.length === 0 ? removed : `${removed}; sandboxes still use ${inUse.join(', ')}`;
  },
};
