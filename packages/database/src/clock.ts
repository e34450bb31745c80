import { sql } from 'kysely';
import type { Database } from './connect.ts';

/** Reads the time in milliseconds. */
export type Clock = (database: Database) => Promise<number>;

/** Deadlines are compared with this clock, because the clocks of several services differ. */
export const databaseClock: Clock = async (database) => {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(database);
  const [row] = rows;
  if (row === undefined) throw new Error('The database returned no time.');
  return row.now.getTime();
};
