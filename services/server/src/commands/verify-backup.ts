import { masterKeyRing } from '@berth/identity';
import { z } from 'zod';
import { backupSection } from '../sections/backup.ts';
import { clickhouseSection } from '../sections/clickhouse.ts';
import { masterKeysSection } from '../sections/master-keys.ts';
import { postgresSection } from '../sections/postgres.ts';
import { defineCommand } from './command.ts';
import { readFlags } from './read-flags.ts';

const Flags = z.object({ from: z.string(), keyFile: z.string().optional() });

export const verifyBackupCommand = defineCommand({
  name: 'verify-backup',
  summary:
    'restores a backup beside the deployment, compares the rows and removes them: --from FOLDER [--key-file FILE]',
  sections: {
    postgres: postgresSection,
    clickhouse: clickhouseSection,
    masterKeys: masterKeysSection,
    backup: backupSection,
  },
  async run({ postgres, clickhouse, masterKeys, backup }, { arguments: argv, print, progress }) {
    const { from, keyFile = backup.keyFile } = readFlags(argv, Flags);
    const [{ verifyBackup }, { readBackupKey }, { openUsageCopies }] = await Promise.all([
      import('../restore/verify-backup.ts'),
      import('../backup/backup-key.ts'),
      import('@berth/usage'),
    ]);
    const { url, logRetentionDays } = clickhouse;
    await verifyBackup({
      place: { folder: from, key: await readBackupKey(keyFile) },
      ring: masterKeyRing(masterKeys),
      databaseUrl: postgres.url,
      pgRestore: backup.pgRestore,
      openCopies:
        url === undefined
          ? undefined
          : (database) => openUsageCopies({ url, logRetentionDays, ...(database === undefined ? {} : { database }) }),
      progress,
    });
    print(`${from} can be restored.`);
  },
});
