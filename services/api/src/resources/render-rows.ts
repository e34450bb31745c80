// Renders stored rows as clients see them, with the data of other tables that their kind shows.
import type { Database } from '@berth/database';
import type { EventRow } from './events.ts';
import type { ResourceRow } from './record.ts';
import { type Rendered, renderResource, type View } from './render.ts';
import type { KindRules } from './rules.ts';

/** Events by uid; undefined leaves them out of the responses. */
type Events = ReadonlyMap<string, readonly EventRow[]> | undefined;

export async function renderRows(
  database: Database,
  { kind, render }: KindRules,
  rows: readonly ResourceRow[],
  events: Events,
  view: View,
): Promise<Rendered[]> {
  const rendered = rows.map((row) => renderResource(kind, row, events?.get(row.uid), view, render?.one));
  return (await render?.related?.(database, rendered, rows, view)) ?? rendered;
}

export async function renderRow(
  database: Database,
  { kind, render }: KindRules,
  row: ResourceRow,
  events: readonly EventRow[] | undefined,
  view: View,
): Promise<Rendered> {
  const rendered = renderResource(kind, row, events, view, render?.one);
  const [related] = (await render?.related?.(database, [rendered], [row], view)) ?? [];
  return related ?? rendered;
}
