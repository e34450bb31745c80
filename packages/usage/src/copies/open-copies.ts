// Copies of tables for backups, in ClickHouse's own format. Rows are read as they are: a row that is stored twice is copied
// twice, and means the same.
import { Readable } from 'node:stream';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { z } from 'zod';
import { migrate } from '../migrate.ts';
import type { CopiedTable } from './copied-tables.ts';

export interface Partition {
  readonly table: CopiedTable;
  readonly partition: string;
}

export interface UsageCopies {
  /** Creates the tables that are missing. */
  prepare(): Promise<void>;
  /** Partitions with rows. */
  partitions(tables: readonly CopiedTable[]): Promise<Partition[]>;
  read(partition: Partition): Promise<AsyncIterable<Buffer>>;
  /** Adds rows that `read` returned. */
  write(table: CopiedTable, rows: AsyncIterable<Buffer>): Promise<void>;
  /** Different rows: those that ClickHouse has not merged yet count once. */
  count(table: CopiedTable): Promise<number>;
  empty(table: CopiedTable): Promise<void>;
  /** A database beside, for a trial. Removed with `drop`. */
  createDatabase(name: string): Promise<void>;
  dropDatabase(name: string): Promise<void>;
  close(): Promise<void>;
}

export interface CopiesOptions {
  readonly url: string;
  readonly logRetentionDays: number;
  /** Another database than that of the address. */
  readonly database?: string;
}

const Partitions = z.array(z.object({ partition: z.string() }));
const Count = z.array(z.object({ count: z.coerce.number() }));
/** A month of a large deployment takes long to read; nothing waits for it. */
const requestTimeoutMs = 60 * 60 * 1_000;

export function openUsageCopies({ url, logRetentionDays, database }: CopiesOptions): UsageCopies {
  const address = new URL(url);
  if (database !== undefined) address.pathname = `/${database}`;
  const client = createClient({
    url: address,
    application: 'berth-backup',
    request_timeout: requestTimeoutMs,
    log: { level: ClickHouseLogLevel.OFF },
  });
  const select = async (query: string, query_params: Record<string, string> = {}): Promise<unknown> =>
    (await client.query({ query, query_params, format: 'JSONEachRow' })).json();
  return {
    prepare: () => migrate(client, logRetentionDays),
    async partitions(tables) {
      const found: Partition[] = [];
      for (const table of tables) {
        const rows = await select(
          `SELECT DISTINCT partition_id AS partition FROM system.parts
           WHERE database = currentDatabase() AND table = {table:String} AND active AND rows > 0 ORDER BY partition`,
          { table },
        );
        found.push(...Partitions.parse(rows).map(({ partition }) => ({ table, partition })));
      }
      return found;
    },
    async read({ table, partition }) {
      const { stream } = await client.exec({
        query: `SELECT * FROM ${table} WHERE _partition_id = {partition:String} FORMAT Native`,
        query_params: { partition },
        // Otherwise a failure in the middle of the rows would look like their end.
        clickhouse_settings: { wait_end_of_query: 1 },
      });
      return stream;
    },
    async write(table, rows) {
      const { stream } = await client.exec({
        query: `INSERT INTO ${table} FORMAT Native`,
        values: Readable.from(rows, { objectMode: false }),
      });
      // The answer is empty, and holds the connection until it was read.
      stream.resume();
    },
    async count(table) {
      const [row] = Count.parse(await select(`SELECT count() AS count FROM ${table} FINAL`));
      return row?.count ?? 0;
    },
    async empty(table) {
      await client.command({ query: `TRUNCATE TABLE ${table}` });
    },
    async createDatabase(name) {
      await client.command({ query: `CREATE DATABASE ${name}` });
    },
    async dropDatabase(name) {
      await client.command({ query: `DROP DATABASE IF EXISTS ${name}` });
    },
    close: () => client.close(),
  };
}
