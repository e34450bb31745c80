// The ClickHouse of development and tests, through the client that the product uses.
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';

let engine: TestClickhouse;
let client: ReturnType<typeof createClient>;

beforeAll(async () => {
  engine = await startTestClickhouse();
  client = createClient({ url: engine.url, log: { level: ClickHouseLogLevel.OFF } });
  await client.command({ query: 'CREATE TABLE lines (id UInt64, said String) ENGINE = MergeTree ORDER BY id' });
});
afterAll(async () => {
  await client.close();
  await engine[Symbol.asyncDispose]();
});

const rows = async (query: string, rest: Omit<Parameters<typeof client.query>[0], 'query'> = {}) =>
  (await client.query({ query, ...rest, format: 'JSONEachRow' })).json();

const insert = (table: string, values: readonly object[]) => client.insert({ table, values, format: 'JSONEachRow' });

const hostile = ['a; DROP TABLE lines', "it's \\ \t \n \0 \u{1f600}", '{x:String}', ''];

test('inserted rows come back unchanged, whatever characters they contain', async () => {
  await insert(
    'lines',
    hostile.map((said, id) => ({ id, said })),
  );
  expect(await rows('SELECT said FROM lines WHERE id < 100 ORDER BY id')).toEqual(hostile.map((said) => ({ said })));
});

test('a parameter is a value, whatever it holds', async () => {
  for (const text of hostile) {
    const query_params = { text, many: [text, "'"], largest: '18446744073709551615' };
    const [row] = await rows(
      'SELECT {text:String} AS text, {many:Array(String)} AS many, {largest:UInt64} AS largest',
      {
        query_params,
        clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
      },
    );
    expect(row).toEqual(query_params);
  }
});

test('settings, parameters and the database of a request are unknown to the next', async () => {
  const setting = "SELECT toString(getSetting('max_threads')) AS threads, currentDatabase() AS place";
  await client.command({ query: 'CREATE DATABASE IF NOT EXISTS beside' });
  const other = createClient({ url: engine.url, database: 'beside' });
  const one = await other.query({ query: setting, clickhouse_settings: { max_threads: 1 }, format: 'JSONEachRow' });
  expect(await one.json()).toEqual([{ threads: '1', place: 'beside' }]);
  await other.close();
  await rows('SELECT {x:String}', { query_params: { x: 'once' } });
  await expect(rows('SELECT {x:String}')).rejects.toMatchObject({ code: '456' });
  expect(await rows(setting)).not.toEqual([{ threads: '1', place: 'beside' }]);
});

test('requests at the same time keep their parameters apart', async () => {
  const asked = Array.from({ length: 40 }, (_, n) => n);
  const answers = await Promise.all(asked.map((n) => rows('SELECT {n:UInt32} AS n', { query_params: { n } })));
  expect(answers.flat()).toEqual(asked.map((n) => ({ n })));
});

test('a fault is told with its code, and nothing of a faulty insert stays', async () => {
  await expect(rows('SELECT * FROM nowhere')).rejects.toMatchObject({ code: '60', type: 'UNKNOWN_TABLE' });
  await expect(rows('SELEC 1')).rejects.toMatchObject({ code: '62', type: 'SYNTAX_ERROR' });
  const values = [{ id: 200, said: 'good' }, { id: 'bad' }];
  await expect(insert('lines', values)).rejects.toMatchObject({ type: 'CANNOT_PARSE_INPUT_ASSERTION_FAILED' });
  expect(await rows('SELECT * FROM lines WHERE id = 200')).toEqual([]);
  const answer = await fetch(`${engine.url}/?query=SELECT+*+FROM+nowhere`);
  expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([404, '60']);
});

test('an acknowledged insert survives a kill at once', async () => {
  for (let round = 0; round < 3; round += 1) {
    await insert('lines', [{ id: 1_000 + round, said: 'kept' }]);
    await engine.kill();
    expect((await client.ping()).success).toBe(false);
    await engine.start();
  }
  expect(await rows('SELECT id FROM lines WHERE id >= 1000 ORDER BY id')).toHaveLength(3);
});

test('a stop in order keeps the data and the address', async () => {
  await insert('lines', [{ id: 2_000, said: 'kept' }]);
  await engine.stop();
  await engine.start();
  expect(await rows('SELECT said FROM lines WHERE id = 2000')).toEqual([{ said: 'kept' }]);
});

test('a second process on the same data does not start', async () => {
  await expect(engine.start()).rejects.toThrow('runs on this data already');
  expect((await client.ping()).success).toBe(true);
});
