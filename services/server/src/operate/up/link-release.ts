import { existsSync } from 'node:fs';
import { mkdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { MachineContext } from '../install/machine-context.ts';
import type { Step } from '../steps/run-steps.ts';

const linksOf = ({ places, release }: Pick<MachineContext, 'places' | 'release'>): [string, string][] => [
  [places.currentRelease, release.folder],
  [places.program, `${places.currentRelease}/bin/berth-server`],
];

const target = (link: string): Promise<string | undefined> => readlink(link).catch(() => undefined);

export const linkRelease: Step<MachineContext> = {
  name: 'release',
  async isDone(context) {
    const found = await Promise.all(linksOf(context).map(async ([link, to]) => (await target(link)) === to));
    return found.every(Boolean);
  },
  async run(context) {
    for (const [link, to] of linksOf(context)) {
      await mkdir(dirname(link), { recursive: true });
      // A program of the operator's own with that name stays.
      if (existsSync(link) && (await target(link)) === undefined) continue;
      await rm(`${link}.new`, { force: true });
      await symlink(to, `${link}.new`);
      await rename(`${link}.new`, link);
    }
    return context.release.version;
  },
};
