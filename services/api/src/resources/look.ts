// A page of a listing whose filter no index knows: by status, which also changes with time alone, or of what is over and still shown. The
// rows are looked at in order, so many at most. A page that is not full by then says where the look ended, and the next goes on there.
import { requestErrors } from '@berth/contract';
import type { Database } from '@berth/database';
import { sql } from 'kysely';
import type { Position } from './cursor.ts';
import { inOrder, type PageQuery, positionOf, rangeOf } from './page.ts';
import { type ResourceRow, resourceColumns } from './record.ts';
import { isLive, liveOrShown, shownStatus } from './terminated.ts';

/** Rows that one statement looks at. */
const lookedAt = 4_000;
/** Looks of a request whose answer has no cursor to go on from. */
const mostLooks = 25;

export interface Look {
  readonly rows: readonly ResourceRow[];
  /** The last row that was looked at; undefined when the page is full, and at the end of the list. */
  readonly endedAt: Position | undefined;
}

/** A search and an external id have indexes of their own. */
export const needsLook = ({ statuses, showTerminated, search, externalId }: PageQuery): boolean =>
  search === undefined && externalId === undefined && (statuses !== undefined || showTerminated === true);

export async function lookForPage(database: Database, page: PageQuery): Promise<Look> {
  const isShown = page.showTerminated === true ? liveOrShown : isLive;
  const isAsked = page.statuses === undefined ? sql`true` : sql`${shownStatus} = any(${[...page.statuses]}::text[])`;
  const found = await inOrder(
    database
      .selectFrom(numberedRows(database, page).as('resources'))
      .select(resourceColumns)
      .select([sql<number>`place`.as('place'), sql<boolean>`(${isShown} and ${isAsked})`.as('matches')])
      .where(sql<boolean>`(place = ${lookedAt} or (${isShown} and ${isAsked}))`),
    page,
  )
    .limit(page.limit + 1)
    .execute();
  const rows = found.filter(({ matches }) => matches).slice(0, page.limit);
  const end = rows.length < page.limit ? found.find(({ place }) => place === lookedAt) : undefined;
  return { rows: rows.map(({ place, matches, ...row }) => row), endedAt: end && positionOf(page.sort, end) };
}

/** The next rows in order, by an index of those that live and one of those that are over. */
function numberedRows(database: Database, page: PageQuery) {
  const part = (over: 'is' | 'is not') =>
    inOrder(rangeOf(database.selectFrom('resources').selectAll().where('terminated_at', over, null), page), page).limit(
      lookedAt,
    );
  const rows = database.selectFrom(part('is').as('resources')).selectAll();
  const parts =
    page.showTerminated === true
      ? rows.unionAll(database.selectFrom(part('is not').as('resources')).selectAll())
      : rows;
  const direction = page.sort.endsWith(':asc') ? sql`asc` : sql`desc`;
  const key = page.sort.startsWith('name') ? sql`name` : sql`created_at`;
  return inOrder(
    database
      .selectFrom(parts.as('resources'))
      .selectAll()
      .select(sql<number>`row_number() over (order by ${key} ${direction}, uid ${direction})`.as('place')),
    page,
  ).limit(lookedAt);
}

/** For answers without a cursor: goes on until the page is full or the list ends. */
export async function lookUntilFull(
  database: Database,
  page: PageQuery,
  looksLeft = Number.POSITIVE_INFINITY,
): Promise<ResourceRow[]> {
  const rows: ResourceRow[] = [];
  let { after } = page;
  for (let looks = 0; looks < looksLeft; looks += 1) {
    const look = await lookForPage(database, { ...page, after, limit: page.limit - rows.length });
    rows.push(...look.rows);
    after = look.endedAt;
    if (after === undefined) return rows;
  }
  throw requestErrors.invalid_request({
    reason: `anchor=end with these filters looks at ${lookedAt * mostLooks} resources at most. Use sort=createdAt:asc and follow the cursor.`,
  });
}

/** The oldest that match, in a bounded number of looks. */
export const lookFromEnd = (database: Database, page: PageQuery): Promise<ResourceRow[]> =>
  lookUntilFull(database, page, mostLooks);
