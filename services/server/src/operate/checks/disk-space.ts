import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Check, Finding, LookedAtMachine } from './check.ts';

const leastMb = { before: 10_000, running: 2_000 };

export const diskSpace: Check<LookedAtMachine> = {
  name: 'disk-space',
  why: 'a full disk stops PostgreSQL, and with it the deployment',
  when: 'both',
  async look({ places, isInstalled }) {
    const least = isInstalled ? leastMb.running : leastMb.before;
    const folders = [places.data, places.releases, '/var/lib/docker'];
    const found = await Promise.all(folders.map((folder) => shortOf(folder, least)));
    return found.find((finding) => finding !== undefined);
  },
};

async function shortOf(folder: string, leastMb: number): Promise<Finding | undefined> {
  const { bavail, bsize } = await statfs(existing(folder));
  const freeMb = Math.floor((bavail * bsize) / 1e6);
  if (freeMb >= leastMb) return undefined;
  return {
    what: `${folder} has ${freeMb} MB free; ${leastMb} are needed.`,
    fix: `docker image prune; or give ${folder} more space`,
  };
}

const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)));
