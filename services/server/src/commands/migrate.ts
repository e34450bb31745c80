import { migrate } from '@berth/database';
import { postgresSection } from '../sections/postgres.ts';
import { defineCommand } from './command.ts';

export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'bring the database to this version; safe to run again and beside older servers',
  sections: { postgres: postgresSection },
  async run({ postgres }, { logger }) {
    await migrate(postgres.url);
    logger.info('database migrated');
  },
});
