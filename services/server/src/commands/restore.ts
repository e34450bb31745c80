import { masterKeyRing } from '@berth/identity';
import { z } from 'zod';
import { backupSection } from '../sections/backup.ts';
import { clickhouseSection } from '../sections/clickhouse.ts';
import { masterKeysSection } from '../sections/master-keys.ts';
import { postgresSection } from '../sections/postgres.ts';
import { defineCommand } from './command.ts';
import { openCopies } from './open-copies.ts';
import { readFlags } from './read-flags.ts';

const Flags = z.object({
  from: z.string(),
  keyFile: z.string().optional(),
  replace: z.boolean().default(false),
  withoutUsage: z.boolean().default(false),
  rehearsal: z.boolean().default(false),
});

export const restoreCommand = defineCommand({
  name: 'restore',
  summary:
    'loads a backup into an empty deployment: --from FOLDER [--key-file FILE] [--replace] [--without-usage] [--rehearsal]',
  sections: {
    postgres: postgresSection,
    clickhouse: clickhouseSection,
    masterKeys: masterKeysSection,
    backup: backupSection,
  },
  async run({ postgres, clickhouse, masterKeys, backup }, { arguments: argv, print, progress }) {
    const flags = readFlags(argv, Flags, ['replace', 'withoutUsage', 'rehearsal']);
    const [{ restore }, { readBackupKey }] = await Promise.all([
      import('../restore/restore.ts'),
      import('../backup/backup-key.ts'),
    ]);
    const key = await readBackupKey(flags.keyFile ?? backup.keyFile);
    const copies = flags.withoutUsage ? undefined : await openCopies(clickhouse);
    try {
      const epoch = await restore({
        place: { folder: flags.from, key },
        ring: masterKeyRing(masterKeys),
        databaseUrl: postgres.url,
        pgRestore: backup.pgRestore,
        ...{ copies, progress, leavesUsage: flags.withoutUsage, replaces: flags.replace, isRehearsal: flags.rehearsal },
      });
      print(`restored; the deployment has the epoch ${epoch}`);
      if (flags.rehearsal) print('It is a rehearsal: its api takes no runners, and its orchestrator does not start.');
      else print('Start the roles. Runners keep what the backup does not know: berth-server orphans lists it.');
    } finally {
      await copies?.close();
    }
  },
});
