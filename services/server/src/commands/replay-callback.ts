import { type Database, deliveriesChannel } from '@berth/database';
import { sql } from 'kysely';
import { z } from 'zod';
import { postgresSection } from '../sections/postgres.ts';
import { defineCommand } from './command.ts';
import { readFlags } from './read-flags.ts';
import { withDatabase } from './with-database.ts';

const Flags = z.object({ id: z.guid('a delivery id, as the log of the orchestrator names it') });

export const replayCallbackCommand = defineCommand({
  name: 'replay-callback',
  summary: 'delivers a callback again that was delivered or given up: --id ID, as the log of the orchestrator names it',
  sections: { postgres: postgresSection },
  async run({ postgres }, { arguments: argv, print }) {
    const { id } = readFlags(argv, Flags);
    await withDatabase(postgres.url, (database) => replay(database, id));
    print(
      `${id} is delivered again under the same id, at once and with all its tries. The log of the orchestrator tells the result.`,
    );
  },
});

async function replay(database: Database, id: string): Promise<void> {
  const { rows } = await sql<{ isReplayed: boolean }>`
    with found as (
      select id, coalesce(delivered_at, given_up_at) is not null as is_ended from deliveries where id = ${id} for update
    ), replayed as (
      update deliveries set attempts = 0, next_at = clock_timestamp(), claimed_until = null, delivered_at = null,
        given_up_at = null, last_status = null, last_error = null
      from found where deliveries.id = found.id and is_ended
    )
    select is_ended as "isReplayed" from found`.execute(database);
  const [row] = rows;
  if (row === undefined) throw new Error(`There is no callback ${id}. It is removed 30 days after its end.`);
  if (!row.isReplayed) throw new Error(`The callback ${id} is still being tried. Wait until it has ended.`);
  await sql`select pg_notify(${deliveriesChannel}, '')`.execute(database);
}
