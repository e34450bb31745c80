import { liveInstance, nilUuid } from '@berth/database';
import { defineResyncSource, type KeyOnly, poolMessage, type ResyncSource } from '@berth/durable';
import { sql } from 'kysely';

/** Runners that have or should have a warm pool. Recent use changes with time alone, without any message. */
export const runnersWithPools: ResyncSource<KeyOnly> = defineResyncSource({
  to: poolMessage,
  async page(database, after, limit) {
    const { rows } = await sql<{ id: string }>`
      select id from runners where id > ${after ?? nilUuid} and status = 'up' and (
        jsonb_array_length(warm) > 0 or warm_lately > 0
        or exists (select 1 from instances
          where runner_id = runners.id and pool is not null and ${liveInstance()})
      ) order by id limit ${limit}`.execute(database);
    return rows.map(({ id }) => ({ key: id, message: {} }));
  },
});
