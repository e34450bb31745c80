import { readFile } from 'node:fs/promises';
import { assetUrl } from '@berth/release';
import { z } from 'zod';
import { backupSection } from '../sections/backup.ts';
import { clickhouseSection } from '../sections/clickhouse.ts';
import { postgresSection } from '../sections/postgres.ts';
import { defineCommand } from './command.ts';
import { openCopies } from './open-copies.ts';
import { readFlags } from './read-flags.ts';

const Flags = z.object({
  to: z.string(),
  keyFile: z.string().optional(),
  keepDays: z.coerce.number().int().min(1).max(3650).optional(),
  withLogs: z.boolean().default(false),
});

export const backupCommand = defineCommand({
  name: 'backup',
  summary:
    'copies PostgreSQL and usage, encrypted: --to FOLDER [--key-file FILE] [--keep-days N] [--with-logs]; prints the folder',
  sections: { postgres: postgresSection, clickhouse: clickhouseSection, backup: backupSection },
  async run({ postgres, clickhouse, backup }, { arguments: argv, print, progress }) {
    const { to, keyFile = backup.keyFile, keepDays, withLogs } = readFlags(argv, Flags, ['withLogs']);
    const [{ backUp }, { pruneBackups }, { readBackupKey }, { copiedTables }] = await Promise.all([
      import('../backup/back-up.ts'),
      import('../backup/prune-backups.ts'),
      import('../backup/backup-key.ts'),
      import('@berth/usage'),
    ]);
    const key = await readBackupKey(keyFile);
    const copies = await openCopies(clickhouse);
    const now = new Date();
    try {
      const folder = await backUp({
        ...{ to, key, copies, now, progress },
        databaseUrl: postgres.url,
        pgDump: backup.pgDump,
        tables: withLogs ? [...copiedTables.usage, ...copiedTables.logs] : copiedTables.usage,
        version: await ownVersion(),
      });
      print(folder);
    } finally {
      await copies?.close();
    }
    if (keepDays === undefined) return;
    for (const name of await pruneBackups(to, keepDays, now)) progress(`removed ${name}, older than ${keepDays} days`);
  },
});

const Package = z.object({ version: z.string() });

const ownVersion = async (): Promise<string> =>
  Package.parse(JSON.parse(await readFile(assetUrl('services/runner/package.json'), 'utf8'))).version;
