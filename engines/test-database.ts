import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser's address of the PostgreSQL of this run. */
    postgresUrl: string;
    /** Migrated database without connections, ready to be cloned. */
    templateDatabase: string;
  }
}

export type TestDatabase = AsyncDisposable & {
  url: string;
  name: string;
  drop(): Promise<void>;
};

// Measured without fsync: file_copy takes 20 ms for a clone and 7 ms for a drop; wal_log takes 46 and 23.
/** Migrated database for one test, cloned in tens of milliseconds. Drop it, or declare it with `await using`. */
export async function createTestDatabase(templateName = inject('templateDatabase')): Promise<TestDatabase> {
  const adminUrl = inject('postgresUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin(adminUrl, `create database ${name} template ${pg.escapeIdentifier(templateName)} strategy file_copy`);
  const drop = () => asAdmin(adminUrl, `drop database if exists ${name} with (force)`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { url: url.href, name, drop, [Symbol.asyncDispose]: drop };
}

async function asAdmin(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
