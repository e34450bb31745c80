import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { createTestDatabase } from './test-database.ts';

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('two test databases never see each other', async () => {
  await using first = await createTestDatabase();
  await using second = await createTestDatabase();
  await query(first.url, 'create table only_here (id int)');
  const inSecond = await query(second.url, `select to_regclass('only_here') as found`);
  expect(inSecond).toEqual([{ found: null }]);
});

test('a dropped test database is gone, even with a client still connected', async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => {});
  await client.connect();
  await database.drop();
  const left = await query(inject('postgresUrl'), `select 1 from pg_database where datname = '${database.name}'`);
  expect(left).toEqual([]);
});

test('the engine compares text beyond ASCII, as search by name needs', async () => {
  expect(await query(inject('postgresUrl'), `select lower('ÄÉ') as folded`)).toEqual([{ folded: 'äé' }]);
});
