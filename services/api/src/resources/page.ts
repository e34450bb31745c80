// One page of a listing by keyset: the position of the last item, never an offset, so page 10 000 costs what page 1 costs.
import type { Sort } from '@berth/contract';
import { type Database, nilUuid } from '@berth/database';
import { type SqlBool, sql } from 'kysely';
import type { Position } from './cursor.ts';
import { type ResourceRow, resourceColumns } from './record.ts';
import { matches } from './search-text.ts';
import { liveOrShown } from './terminated.ts';

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

export async function readPage(database: Database, page: PageQuery): Promise<ResourceRow[]> {
  const [field, direction] =
    page.sort === 'name:asc' || page.sort === 'name:desc'
      ? (['name', page.sort.slice(5)] as const)
      : (['created_at', page.sort.slice(10)] as const);
  const order = direction === 'asc' ? 'asc' : 'desc';
  // Live names are unique below one parent, so the name alone is an order there.
  const uniqueName = page.anyParent !== true && page.showTerminated !== true;
  let query = database
    .selectFrom('resources')
    .select(resourceColumns)
    .where('workspace_id', '=', page.workspaceId)
    .where('kind', '=', page.kind);
  query = query.where(page.showTerminated === true ? liveOrShown : sql<SqlBool>`terminated_at is null`);
  if (page.anyParent !== true) query = query.where('parent_uid', '=', page.parentUid ?? nilUuid);
  if (page.search !== undefined) query = query.where(matches(page.search));
  if (page.statuses !== undefined) query = query.where('status', 'in', [...page.statuses]);
  if (page.externalId !== undefined) query = query.where('external_id', '=', page.externalId);
  if (page.after !== undefined) {
    const [key, uid] = page.after;
    const comparison = order === 'asc' ? sql`>` : sql`<`;
    // A row comparison is one range of the index; written out with "or" it would be a filter.
    query =
      field === 'name'
        ? uniqueName
          ? query.where('name', order === 'asc' ? '>' : '<', key)
          : query.where(sql<boolean>`(name, uid) ${comparison} (${key}::text, ${uid}::uuid)`)
        : query.where(sql<boolean>`(created_at, uid) ${comparison} (${key}::timestamptz, ${uid}::uuid)`);
  }
  query = query.orderBy(field, order);
  if (field === 'created_at' || !uniqueName) query = query.orderBy('uid', order);
  return query.limit(page.limit).execute();
}
