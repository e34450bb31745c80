import { existsSync } from 'node:fs';
import { mkdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../machine/fault.ts';
import type { Step } from '../steps/run-steps.ts';
import type { UpgradeContext } from './upgrade-context.ts';

const leastMb = 2_000;

const targetOf = ({ places, move }: UpgradeContext): string => join(places.releases, move.to);

/** Beside the release that runs. A release that was unpacked in part has another name. */
export const unpackRelease: Step<UpgradeContext> = {
  name: 'unpack',
  isDone: async (context) => existsSync(join(targetOf(context), 'release.json')),
  async run(context) {
    const { run, archive, places } = context;
    const target = targetOf(context);
    const { bavail, bsize } = await statfs(places.releases);
    const freeMb = Math.floor((bavail * bsize) / 1e6);
    if (freeMb < leastMb)
      throw new Fault(
        `${places.releases} has ${freeMb} MB free; ${leastMb} are needed.`,
        `make room below ${places.releases}, then run the same command again`,
      );
    await rm(`${target}.new`, { recursive: true, force: true });
    await mkdir(`${target}.new`);
    const into = ['--directory', `${target}.new`, '--strip-components', '1', '--no-same-owner'];
    await run('tar', ['--extract', '--gzip', '--file', archive.file, ...into]);
    await rm(target, { recursive: true, force: true });
    await rename(`${target}.new`, target);
    return target;
  },
};
