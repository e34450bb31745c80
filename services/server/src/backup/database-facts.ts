// What a backup notes about a database, and what a restore compares with it.
import type { Database } from '@berth/database';
import { sql } from 'kysely';

/** Rows of every table that holds rows itself, partitions included. */
export async function countRows(database: Database): Promise<Record<string, number>> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`.execute(
    database,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(database);
    counts[name] = rows[0]?.count ?? 0;
  }
  return counts;
}

export async function appliedMigrations(database: Database): Promise<{ name: string; checksum: string }[]> {
  const { rows } = await sql<{ name: string; checksum: string }>`
    select name, checksum from schema_migrations order by name`.execute(database);
  return rows;
}

export async function serverVersion(database: Database): Promise<string> {
  const { rows } = await sql<{ version: string }>`select current_setting('server_version') as version`.execute(
    database,
  );
  return rows[0]?.version ?? '';
}

/** A long copy holds its connection without a statement. */
export async function allowLongWork(database: Database): Promise<void> {
  await sql`select set_config(name, '0', true)
    from unnest(array['statement_timeout', 'idle_in_transaction_session_timeout']) as name`.execute(database);
}
