import type { ReadCall } from '../http/call.ts';
import { loadEvents } from './events.ts';
import { type ResourceRow, resourceColumns } from './record.ts';
import type { Rendered } from './render.ts';
import { renderRow } from './render-rows.ts';
import type { KindRules } from './rules.ts';

export async function readRow(
  { database, dependencies, workspace }: Pick<ReadCall, 'database' | 'dependencies' | 'workspace'>,
  rules: KindRules,
  row: ResourceRow,
  parents: readonly ResourceRow[],
): Promise<Rendered> {
  const events = rules.kind.status === undefined ? undefined : (await loadEvents(database, [row])).get(row.uid);
  return renderRow(database, rules, row, events, { dependencies, workspace, parents });
}

/** Reads a resource by uid, live or terminated, after the transaction that wrote it. */
export async function readAgain(
  { dependencies, workspace }: Pick<ReadCall, 'dependencies' | 'workspace'>,
  rules: KindRules,
  uid: string,
): Promise<Rendered | undefined> {
  const { database } = dependencies;
  const row = await database.selectFrom('resources').select(resourceColumns).where('uid', '=', uid).executeTakeFirst();
  return row === undefined ? undefined : readRow({ database, dependencies, workspace }, rules, row, []);
}
