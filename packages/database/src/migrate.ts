// Migrations are plain SQL files, applied once each in the order of their names, never edited afterwards.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { assetUrl } from '@berth/release';
import pg from 'pg';

const folder = assetUrl('packages/database/migrations/');
/** Advisory lock, any fixed number: two servers that start together must not migrate at the same time. */
const lockId = 7_305_129_001;

export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** All migrations that this version knows, in their order. */
export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query("set local lock_timeout = '10s'");
    await client.query(sql);
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`Migration ${name} failed and changed nothing. Mend the cause and run migrate again.`, {
      cause: error,
    });
  }
}

export interface SchemaState {
  /** Names of the migrations that this version has and the database lacks. */
  readonly pending: readonly string[];
  /** Names of migrations that a newer version has applied: this version runs on them too. */
  readonly newer: readonly string[];
}

export async function schemaState(url: string): Promise<SchemaState> {
  const own = (await readMigrations()).map(({ name }) => name);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query("select 1 where to_regclass('schema_migrations') is not null");
    if (tables.length === 0) return { pending: own, newer: [] };
    const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name');
    const applied = rows.map(({ name }) => name);
    return {
      pending: own.filter((name) => !applied.includes(name)),
      newer: applied.filter((name) => !own.includes(name)),
    };
  } finally {
    await client.end();
  }
}

/** Brings the database to the newest schema; returns the names of the migrations applied by this call. */
export async function migrate(url: string): Promise<string[]> {
  const migrations = await readMigrations();
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [lockId]);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ name: string; checksum: string }>(
      'select name, checksum from schema_migrations',
    );
    const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
    const edited = migrations.find(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum);
    if (edited !== undefined)
      throw new Error(`Migration ${edited.name} was changed after it was applied. Restore it and add a new file.`);
    const fresh = migrations.filter(({ name }) => !applied.has(name));
    for (const migration of fresh) await apply(client, migration);
    return fresh.map(({ name }) => name);
  } finally {
    await client.end();
  }
}
