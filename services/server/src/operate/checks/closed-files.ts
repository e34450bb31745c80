import { stat } from 'node:fs/promises';
import type { Check, LookedAtMachine } from './check.ts';

export const closedFiles: Check<LookedAtMachine> = {
  name: 'closed-files',
  why: 'they hold the master key and passwords',
  when: 'running',
  async look({ places }) {
    const secret = [
      places.settings,
      places.postgresPassword,
      places.clickhouseUsers,
      places.firstKey,
      places.runnerEnvironment,
    ];
    const open = await Promise.all(
      secret.map(async (path) => {
        const found = await stat(path).catch(() => undefined);
        return found !== undefined && (found.mode & 0o077) !== 0 ? [path] : [];
      }),
    );
    const paths = open.flat();
    if (paths.length === 0) return undefined;
    return { what: `Other accounts may read ${paths.join(', ')}.`, fix: `chmod 0400 ${paths.join(' ')}` };
  },
};
