// One page of a listing by keyset: the position of the last item, never an offset, so page 10 000 costs what page 1 costs.
import type { Sort } from '@berth/contract';
import { type Database, nilUuid, type Tables } from '@berth/database';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Position } from './cursor.ts';
import { type ResourceRow, resourceColumns } from './record.ts';
import { contains, holdsGrams } from './search-text.ts';
import { isLive, liveOrShown, shownStatus } from './terminated.ts';

export interface PageQuery {
  readonly workspaceId: string;
  readonly kind: string;
  readonly parentUid?: string;
  /** Children of every parent. */
  readonly anyParent?: true;
  readonly sort: Sort;
  readonly after?: Position | undefined;
  readonly limit: number;
  readonly search?: string | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly externalId?: string | undefined;
  /** Terminated resources that are still shown are listed too. */
  readonly showTerminated?: boolean | undefined;
}

export function positionOf(sort: Sort, row: ResourceRow): Position {
  return sort.startsWith('name') ? [row.name, row.uid] : [row.created_at.toISOString(), row.uid];
}

export type Rows<O> = SelectQueryBuilder<Tables, 'resources', O>;

/** Rows that a search looks at in order before it asks an index: enough to fill a page when one in eighty matches. */
const window = 4000;

export async function readPage(database: Database, page: PageQuery): Promise<ResourceRow[]> {
  const { search } = page;
  const first = (rows: Rows<ResourceRow>) => inOrder(filtered(rows, page), page).limit(page.limit).execute();
  if (search === undefined) return first(place(database.selectFrom('resources').select(resourceColumns), page));
  // Which of two ways is fast depends on how many rows match, which the planner cannot know and we cannot either. So the
  // first rows are looked at in order, and only when they do not fill the page are the matches fetched by index and sorted.
  const everything = place(database.selectFrom('resources').selectAll(), page);
  const nearby = database.selectFrom(inOrder(everything, page).limit(window).as('resources'));
  const found = await first(nearby.select(resourceColumns).where(contains(search)));
  if (found.length >= page.limit) return found;
  const indexed = database.with(
    (cte) => cte('resources').materialized(),
    () => everything.where(holdsGrams(search)),
  );
  return first(indexed.selectFrom('resources').select(resourceColumns).where(contains(search)));
}

/** Where the listing looks, from the cursor on. */
function place<O>(query: Rows<O>, page: PageQuery): Rows<O> {
  const placed = rangeOf(query, page);
  // Spelled out although it follows from the other: it lets the indexes of live rows be used.
  return page.showTerminated === true
    ? placed.where(liveOrShown)
    : placed.where('terminated_at', 'is', null).where(isLive);
}

/** Rows of the listing from the cursor on, shown or not. */
export function rangeOf<O>(query: Rows<O>, page: PageQuery): Rows<O> {
  let range = query.where('workspace_id', '=', page.workspaceId).where('kind', '=', page.kind);
  if (page.anyParent !== true) range = range.where('parent_uid', '=', page.parentUid ?? nilUuid);
  return page.after === undefined ? range : range.where(beyond(page, page.after));
}

/** Live names are unique below one parent, so the name alone is an order there. */
const hasUniqueNames = ({ anyParent, showTerminated }: PageQuery): boolean =>
  anyParent !== true && showTerminated !== true;

function beyond(page: PageQuery, [key, uid]: Position) {
  const comparison = page.sort.endsWith(':asc') ? sql`>` : sql`<`;
  if (page.sort.startsWith('name')) {
    if (hasUniqueNames(page)) return sql<boolean>`name ${comparison} ${key}`;
    return sql<boolean>`(name, uid) ${comparison} (${key}::text, ${uid}::uuid)`;
  }
  // A row comparison is one range of the index; written out with "or" it would be a filter.
  return sql<boolean>`(created_at, uid) ${comparison} (${key}::timestamptz, ${uid}::uuid)`;
}

function filtered<O>(query: Rows<O>, { statuses, externalId }: PageQuery): Rows<O> {
  let narrowed = query;
  if (statuses !== undefined) narrowed = narrowed.where(shownStatus, 'in', [...statuses]);
  if (externalId !== undefined) narrowed = narrowed.where('external_id', '=', externalId);
  return narrowed;
}

export function inOrder<O>(query: Rows<O>, page: PageQuery): Rows<O> {
  const { sort } = page;
  const direction = sort.endsWith(':asc') ? 'asc' : 'desc';
  if (sort.startsWith('name')) {
    const named = query.orderBy('name', direction);
    return hasUniqueNames(page) ? named : named.orderBy('uid', direction);
  }
  return query.orderBy('created_at', direction).orderBy('uid', direction);
}
