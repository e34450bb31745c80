// One page of a listing by keyset: it continues after the position of the last item, never at an offset, so page 10 000
// costs as much as page 1.
import type { Sort } from '@berth/contract';
import { type Database, liveResource, nilUuid, type Tables } from '@berth/database';
import { type SelectQueryBuilder, sql } from 'kysely';
import type { Position } from './cursor.ts';
import { type ResourceRow, resourceColumns } from './record.ts';
import { contains, holdsGrams } from './search-text.ts';
import { isLive, liveOrShown, shownStatus } from './terminated.ts';

export interface PageQuery {
  readonly workspaceId: string;
  readonly kind: string;
  readonly parentUid?: string;
  /** Includes children of every parent. */
  readonly anyParent?: true;
  readonly sort: Sort;
  readonly after?: Position | undefined;
  readonly limit: number;
  readonly search?: string | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly externalId?: string | undefined;
  /** Includes terminated resources that are still shown. */
  readonly showTerminated?: boolean | undefined;
}

export function positionOf(sort: Sort, row: ResourceRow): Position {
  return sort.startsWith('name') ? [row.name, row.uid] : [row.created_at.toISOString(), row.uid];
}

export type Rows<O> = SelectQueryBuilder<Tables, 'resources', O>;

/** Rows that a search scans in order before it uses an index: enough to fill a page when one row in eighty matches. */
const searchWindow = 4000;

export async function readPage(database: Database, page: PageQuery): Promise<ResourceRow[]> {
  const { search } = page;
  const first = (rows: Rows<ResourceRow>) => inOrder(filtered(rows, page), page).limit(page.limit).execute();
  if (search === undefined) return first(withinListing(database.selectFrom('resources').select(resourceColumns), page));
  // The faster of the two plans depends on the number of matches, which neither the planner nor this code knows. So
  // the first rows are scanned in order, and only if they do not fill the page are the matches fetched through an index
  // and sorted.
  const everything = withinListing(database.selectFrom('resources').selectAll(), page);
  const nearby = database.selectFrom(inOrder(everything, page).limit(searchWindow).as('resources'));
  const found = await first(nearby.select(resourceColumns).where(contains(search)));
  if (found.length >= page.limit) return found;
  const indexed = database.with(
    (cte) => cte('resources').materialized(),
    () => everything.where(holdsGrams(search)),
  );
  return first(indexed.selectFrom('resources').select(resourceColumns).where(contains(search)));
}

/** Restricts a query to the rows of the listing from the cursor on. */
function withinListing<O>(query: Rows<O>, page: PageQuery): Rows<O> {
  const range = rangeOf(query, page);
  // `terminated_at is null` follows from `isLive`, but PostgreSQL needs it written out to use the partial indexes of
  // live rows.
  return page.showTerminated === true ? range.where(liveOrShown) : range.where(liveResource()).where(isLive);
}

/** Rows of the listing from the cursor on, including those that are not shown. */
export function rangeOf<O>(query: Rows<O>, page: PageQuery): Rows<O> {
  let range = query.where('workspace_id', '=', page.workspaceId).where('kind', '=', page.kind);
  if (page.anyParent !== true) range = range.where('parent_uid', '=', page.parentUid ?? nilUuid);
  return page.after === undefined ? range : range.where(beyond(page, page.after));
}

/** Live names are unique below one parent, so the name alone defines the order there. */
const hasUniqueNames = ({ anyParent, showTerminated }: PageQuery): boolean =>
  anyParent !== true && showTerminated !== true;

function beyond(page: PageQuery, [key, uid]: Position) {
  const comparison = page.sort.endsWith(':asc') ? sql`>` : sql`<`;
  if (page.sort.startsWith('name')) {
    if (hasUniqueNames(page)) return sql<boolean>`name ${comparison} ${key}`;
    return sql<boolean>`(name, uid) ${comparison} (${key}::text, ${uid}::uuid)`;
  }
  // PostgreSQL evaluates a row comparison as one index range; the equivalent with "or" would be a filter.
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
