import { migrate, schemaState } from '@berth/database';
import { postgresSection } from '../sections/postgres.ts';
import { defineCommand } from './command.ts';

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'bring the database to this version; safe to run again and beside older servers',
  sections: { postgres: postgresSection },
  async run({ postgres }, { logger, print }) {
    const applied = await migrate(postgres.url);
    const { newer } = await schemaState(postgres.url);
    if (newer.length > 0)
      print(
        `The database is of a newer version, which applied ${newer.join(', ')}. This version runs on it; nothing is taken back.`,
      );
    logger.info({ applied, newer: newer.length }, 'database migrated');
  },
});
