import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../engines/test-database.ts';
import { connect } from './connect.ts';

test('a connection that breaks between two statements ends its transaction, not the process', async () => {
  await using testDatabase = await createTestDatabase();
  const broken: Error[] = [];
  const database = connect({ url: testDatabase.url, maxConnections: 2, onIdleError: (error) => broken.push(error) });
  const transaction = database.transaction().execute(async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database);
    await sleep(200);
    await sql`select 1`.execute(tx);
  });
  await expect(transaction).rejects.toThrow();
  expect(broken.length).toBeGreaterThan(0);
  expect((await sql<{ one: number }>`select 1 as one`.execute(database)).rows).toEqual([{ one: 1 }]);
  await database.destroy();
});
