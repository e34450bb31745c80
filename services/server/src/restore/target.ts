// The database and the tables of ClickHouse that a backup is restored into.
import { connect, type Database } from '@berth/database';
import { allCopiedTables, type UsageCopies } from '@berth/usage';
import { sql } from 'kysely';

/** A running role would write into rows that are being restored, and give them to runners. */
export async function assertNothingRuns(database: Database): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like 'berth%' order by 1`.execute(
    database,
  );
  if (rows.length > 0)
    throw new Error(
      `The database is in use by ${rows.map(({ name }) => name).join(', ')}. Stop all roles of the deployment, then run this again.`,
    );
}

export async function assertDatabaseEmpty(database: Database): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind in ('r', 'p', 'v', 'm', 'S') and relnamespace = 'public'::regnamespace limit 1`.execute(database);
  if (rows.length > 0)
    throw new Error(
      'The database is not empty. Name an empty one (createdb), or give --replace to remove everything that it holds.',
    );
}

export async function emptyDatabase(database: Database): Promise<void> {
  await sql`drop schema public cascade`.execute(database);
  await sql`create schema public`.execute(database);
}

export async function assertCopiesEmpty(copies: UsageCopies): Promise<void> {
  const [found] = await copies.partitions(allCopiedTables);
  if (found !== undefined)
    throw new Error(
      `ClickHouse has rows in ${found.table}. Name an empty database, give --replace to remove them, or --without-usage to keep them as they are.`,
    );
}

/** A database beside the given one; it is dropped at the end. */
export async function withScratchDatabase<T>(
  url: string,
  name: string,
  work: (scratchUrl: string) => Promise<T>,
): Promise<T> {
  const database = connect({ url, maxConnections: 1, applicationName: 'berth-verify' });
  const scratch = new URL(url);
  scratch.pathname = `/${name}`;
  try {
    await sql`create database ${sql.id(name)} template template0`.execute(database);
    return await work(scratch.href);
  } finally {
    await sql`drop database if exists ${sql.id(name)} with (force)`.execute(database);
    await database.destroy();
  }
}
