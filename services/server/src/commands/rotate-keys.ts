import { masterKeyRing, rewrapKeys } from '@berth/identity';
import { masterKeysSection } from '../sections/master-keys.ts';
import { postgresSection } from '../sections/postgres.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand } from './command.ts';

export const rotateKeysCommand = defineCommand({
  name: 'rotate-keys',
  summary: 'wrap every data key with the first master key; run again until it says 0',
  sections: { postgres: postgresSection, masterKeys: masterKeysSection },
  async run({ postgres, masterKeys }, { print }) {
    const { rewrapped } = await withDatabase(postgres.url, (database) =>
      rewrapKeys(database, masterKeyRing(masterKeys)),
    );
    print(`${rewrapped} data keys rewrapped`);
  },
});
