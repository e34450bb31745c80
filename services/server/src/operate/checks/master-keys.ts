import { createKeyring, MasterKeys, masterKeyRing } from '@berth/identity';
import { sql } from 'kysely';
import { withDatabase } from '../../with-database.ts';
import { readSettings } from '../install/read-settings.ts';
import type { Check } from './check.ts';

/** Opens the newest key that each master key has wrapped. */
export const masterKeys: Check = {
  name: 'master-keys',
  why: 'without them no secret of a workspace can be opened',
  when: 'running',
  needs: ['postgres', 'schema'],
  async look({ places }) {
    const settings = await readSettings(places);
    const keyring = createKeyring(masterKeyRing(MasterKeys.parse(settings.masterKeys)));
    try {
      await withDatabase(settings.postgres.url, async (database) => {
        const { rows } = await sql<{
          id: string;
        }>`select distinct on (master_key_id) workspace_id as id from workspace_keys
          order by master_key_id, created_at desc`.execute(database);
        for (const { id } of rows) await keyring.workspaceKey(database, id);
      });
      return undefined;
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      return {
        what: said,
        fix: `put the master key back into masterKeys of ${places.settings}, then run: berth-server up`,
      };
    }
  },
};
