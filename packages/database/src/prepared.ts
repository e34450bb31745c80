// Statements that come again and again are prepared once per connection: for short ones, parsing and planning cost more
// than running them.
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';

/** Names are never freed on a connection, so there may only be so many. */
const maxNames = 256;

/**
 * - A star is spelled out when the statement is prepared: a column that a later migration adds would then be an error.
 * - What a search finds depends on its text, so its plan has to be made for each.
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

/** A pool whose connections prepare what they are asked more than once; transaction control stays as it is. */
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

/** Kysely asks a connection for one thing only: to run a text with its parameters. */
function wrapClient(client: pg.PoolClient, nameOf: (text: string) => string | undefined): PostgresPoolClient {
  const query = client.query.bind(client);
  const run = (text: string, values: readonly unknown[]) => {
    const name = values.length === 0 ? undefined : nameOf(text);
    return name === undefined ? query(text, [...values]) : query({ name, text, values: [...values] });
  };
  return new Proxy(client, { get: (target, field) => (field === 'query' ? run : Reflect.get(target, field, target)) });
}
