// Releases that must not stay: each fails at another step of the switch.
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface BadRelease {
  readonly fault: string;
  readonly version: string;
  /** Step of the switch that fails. */
  readonly step: string;
  /** Words of the reason that is printed. */
  readonly reason: string;
  change(folder: string): Promise<void>;
}

const migration = (folder: string, name: string): string => join(folder, 'packages/database/migrations', name);

export const badReleases: readonly BadRelease[] = [
  {
    fault: 'whose migration fails half-way',
    version: '0.90.1',
    step: 'database',
    reason: 'Migration 9991-planted.sql failed and changed nothing',
    async change(folder) {
      await writeFile(migration(folder, '9990-planted.sql'), 'create table planted (id int);\n');
      await writeFile(migration(folder, '9991-planted.sql'), 'create table planted_too (id int);\nselect 1 / 0;\n');
    },
  },
  {
    fault: 'whose server does not start',
    version: '0.90.2',
    step: 'control plane',
    reason: 'control is not ready',
    async change(folder) {
      await rename(join(folder, 'server/berth-server.js'), join(folder, 'server/berth-commands.js'));
      const program = `if (process.argv.includes('--role')) process.exit(1);\nawait import('./berth-commands.js');\n`;
      await writeFile(join(folder, 'server/berth-server.js'), program);
    },
  },
  {
    fault: 'whose sandboxes do not start',
    version: '0.90.3',
    step: 'canary',
    reason: 'No sandbox could be made',
    change: (folder) => writeFile(join(folder, 'guest/guest/main.js'), 'process.exit(1);\n'),
  },
];
