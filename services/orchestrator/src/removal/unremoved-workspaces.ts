import { nilUuid } from '@berth/database';
import { defineResyncSource, type KeyOnly, type ResyncSource, removalMessage } from '@berth/durable';
import { sql } from 'kysely';

/** Deleted workspaces whose removal has not finished. */
export const unremovedWorkspaces: ResyncSource<KeyOnly> = defineResyncSource({
  to: removalMessage,
  async page(database, after, limit) {
    const { rows } = await sql<{ id: string }>`
      select id from deleted_workspaces where id > ${after ?? nilUuid} order by id limit ${limit}`.execute(database);
    return rows.map(({ id }) => ({ key: id, message: {} }));
  },
});
