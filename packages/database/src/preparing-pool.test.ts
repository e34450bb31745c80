import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../engines/test-database.ts';
import { connect } from './connect.ts';
import { statementNames } from './preparing-pool.ts';

test('a statement is named once, up to a bound; statements with a star or a search are not named', () => {
  const nameOf = statementNames();
  expect(nameOf('select a from t where b = $1')).toBe('berth_0');
  expect(nameOf('select a from t where b = $1')).toBe('berth_0');
  expect(nameOf('select * from t where b = $1')).toBeUndefined();
  expect(nameOf('select a from t where b like $1')).toBeUndefined();
  expect(nameOf('select a from t where b @> $1')).toBeUndefined();
  const names = new Set(Array.from({ length: 1000 }, (_, index) => nameOf(`select ${index} where 1 = $1`)));
  // 255 further names, and undefined for the rest.
  expect(names.size).toBe(256);
});

test('statements are prepared on the connection, and a column added while the server runs breaks none of them', async () => {
  await using testDatabase = await createTestDatabase();
  const database = connect({ url: testDatabase.url, maxConnections: 1 });
  try {
    const named = () =>
      database.selectFrom('users').select(['id', 'email']).where('email', '=', 'a@example.com').execute();
    const starred = () => database.selectFrom('users').selectAll().where('email', '=', 'a@example.com').execute();
    const inserted = { id: '01900000-0000-7000-8000-000000000001', email: 'a@example.com' };
    await database.insertInto('users').values(inserted).execute();
    // Enough runs for PostgreSQL to settle for one plan.
    for (let round = 0; round < 8; round += 1) expect(await named()).toEqual([inserted]);
    await starred();
    const { rows } = await sql<{
      name: string;
    }>`select name from pg_prepared_statements where name like 'berth%'`.execute(database);
    expect(rows.length).toBeGreaterThan(0);
    await sql`alter table users add column later text default 'x'`.execute(database);
    expect(await named()).toEqual([inserted]);
    expect(await starred()).toMatchObject([{ ...inserted, later: 'x' }]);
  } finally {
    await database.destroy();
  }
});
