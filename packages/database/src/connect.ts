import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { preparingPool } from './preparing-pool.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;
export type DatabaseTransaction = Transaction<Tables>;

const int8 = 20;
/**
 * Idle timeout of a connection. A new connection has to prepare its statements and load its table metadata again, which
 * takes about 20 ms of one core.
 */
const idleMs = 300_000;

/** Reads int8 as a number, because counters and generations stay far below 2^53; everything else as pg reads it. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === int8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format)),
};

export interface ConnectOptions {
  readonly url: string;
  readonly maxConnections?: number;
  readonly applicationName?: string;
  /** A statement that takes longer is cancelled. */
  readonly statementMs?: number;
  /** Called for connections that break while no query is waiting; the pool replaces them by itself. */
  readonly onIdleError?: (error: Error) => void;
}

export function connectPool({
  url,
  maxConnections = 20,
  applicationName = 'berth',
  statementMs = 60_000,
  onIdleError,
}: ConnectOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    idleTimeoutMillis: idleMs,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    idle_in_transaction_session_timeout: 60_000,
    statement_timeout: statementMs,
    options: '-c timezone=UTC',
    types,
  });
  // Without an error listener a broken connection would end the process. The pool's own event covers idle connections;
  // a connection in use may break between two statements.
  pool.on('error', (error) => onIdleError?.(error));
  pool.on('connect', (client) => client.on('error', (error) => onIdleError?.(error)));
  return pool;
}

/**
 * For a transaction that a single request makes large, such as deleting a workspace. Other limits already bound its
 * size.
 */
export async function allowLongStatements(tx: DatabaseTransaction): Promise<void> {
  await sql`set local statement_timeout = '60s'`.execute(tx);
}

export function connect(options: ConnectOptions): Database {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparingPool(connectPool(options)) }) });
}
