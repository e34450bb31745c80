import type { Database } from '@berth/database';
import type { KyselyPlugin } from 'kysely';

/** The same database, with a count of the statements that go through it; with `text`, of raw ones that contain it. */
export function countStatements(
  database: Database,
  text?: string,
): { readonly database: Database; readonly count: () => number } {
  let statements = 0;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (text === undefined || (node.kind === 'RawNode' && node.sqlFragments.join('').includes(text))) statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { database: database.withPlugin(plugin), count: () => statements };
}
