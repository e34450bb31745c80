// Conditions about rows that are still in use, for queries that would otherwise spell them out. `table` is the name or
// alias of the table, where a query needs one.
import { type RawBuilder, type SqlBool, sql } from 'kysely';

const column = (name: string, table: string | undefined) => sql.ref(table === undefined ? name : `${table}.${name}`);

/** The instance should run and has not ended. */
export const liveInstance = (table?: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${column('ended_at', table)} is null and ${column('desired', table)} = 'running')`;

/** The instance has not ended: it should run, or its runner has yet to remove it. */
export const unendedInstance = (table?: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${column('ended_at', table)} is null)`;

/** The resource is not terminated. One that has expired is live until its termination is recorded. */
export const liveResource = (table?: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${column('terminated_at', table)} is null)`;
