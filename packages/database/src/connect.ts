import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { preparingPool } from './prepared.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;
export type DatabaseTransaction = Transaction<Tables>;

const int8 = 20;
/** A connection knows its statements and the tables they touch; a new one learns both anew, at a core's 20 ms or so. */
const idleMs = 300_000;

/** Counters and generations stay far below 2^53, so they are numbers; everything else as pg reads it. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (oid === int8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format)),
};

export interface ConnectOptions {
  readonly url: string;
  readonly maxConnections?: number;
  readonly applicationName?: string;
  /** A statement that takes longer is cancelled. */
  readonly statementMs?: number;
  /** Told of connections that broke while nobody waited for an answer; the pool replaces them by itself. */
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
  // Without a listener a connection that breaks would end the process: the pool listens to those that are idle, and one that
  // somebody holds may break between two statements.
  pool.on('error', (error) => onIdleError?.(error));
  pool.on('connect', (client) => client.on('error', (error) => onIdleError?.(error)));
  return pool;
}

/** For work in one transaction that is large because its caller said so once, and that limits bound already. */
export async function allowLongStatements(tx: DatabaseTransaction): Promise<void> {
  await sql`set local statement_timeout = '60s'`.execute(tx);
}

export function connect(options: ConnectOptions): Database {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: preparingPool(connectPool(options)) }) });
}
