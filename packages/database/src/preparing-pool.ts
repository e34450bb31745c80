// Frequent statements are prepared once per connection: for short statements, parsing and planning cost more than
// running.
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';

/** Prepared statements are never freed on a connection, so their number is bounded. */
const maxNames = 256;

/**
 * Two forms of statements are not prepared:
 * - with a star: it is expanded at preparation, so a column added by a later migration would be an error;
 * - searches: the best plan depends on the search text, so each needs its own.
 */
const isPrepared = (text: string): boolean => !/\*|\blike\b|@>/.test(text);

export function statementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= maxNames || !isPrepared(text)) return known;
    const name = `berth_${names.size}`;
    names.set(text, name);
    return name;
  };
}

/** A pool whose connections prepare statements with parameters; transaction control has none and is sent as it is. */
export function preparingPool(pool: pg.Pool): PostgresPool {
  const nameOf = statementNames();
  const wrapped = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    async connect() {
      const client = await pool.connect();
      const known = wrapped.get(client);
      if (known !== undefined) return known;
      const preparing = wrapClient(client, nameOf);
      wrapped.set(client, preparing);
      return preparing;
    },
    end: () => pool.end(),
    options: pool.options,
  };
}

/** Kysely only calls `query(text, parameters)` on a connection. */
function wrapClient(client: pg.PoolClient, nameOf: (text: string) => string | undefined): PostgresPoolClient {
  const query = client.query.bind(client);
  const run = (text: string, values: readonly unknown[]) => {
    const name = values.length === 0 ? undefined : nameOf(text);
    return name === undefined ? query(text, [...values]) : query({ name, text, values: [...values] });
  };
  return new Proxy(client, { get: (target, field) => (field === 'query' ? run : Reflect.get(target, field, target)) });
}
