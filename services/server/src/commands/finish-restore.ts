import { finishRestore } from '@berth/database';
import { assertNothingRuns } from '../restore/target.ts';
import { postgresSection } from '../sections/postgres.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand } from './command.ts';

export const finishRestoreCommand = defineCommand({
  name: 'finish-restore',
  summary:
    'after a restore by other means, such as point-in-time recovery; also makes a rehearsal a deployment of its own',
  sections: { postgres: postgresSection },
  async run({ postgres }, { print }) {
    const { epoch } = await withDatabase(postgres.url, async (database) => {
      await assertNothingRuns(database);
      return database.transaction().execute((tx) => finishRestore(tx, false));
    });
    print(`The deployment has the epoch ${epoch}. Runners keep instances that it does not know: berth-server orphans.`);
  },
});
