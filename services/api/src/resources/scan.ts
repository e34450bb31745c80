// Page of a listing whose filter has no index: by status, which also changes with time alone, or including terminated
// resources that are still shown. A scan reads the next rows in order, up to a limit. A page that is not full by then
// returns the position where the scan stopped, and the next page continues there.
import { requestErrors } from '@berth/contract';
import type { Database } from '@berth/database';
import { sql } from 'kysely';
import type { Position } from './cursor.ts';
import { inOrder, type PageQuery, positionOf, rangeOf } from './page.ts';
import { type ResourceRow, resourceColumns } from './record.ts';
import { isLive, liveOrShown, shownStatus } from './terminated.ts';

/** Rows scanned by one statement. */
const rowsPerScan = 4_000;
/** Maximum number of scans for `anchor=end`, whose response has no cursor to continue from. */
const maxScans = 25;

export interface Scan {
  readonly rows: readonly ResourceRow[];
  /** Position of the last scanned row; undefined when the page is full or the list has ended. */
  readonly endedAt: Position | undefined;
}

/** Searches and external ids have their own indexes. */
export const needsScan = ({ statuses, showTerminated, search, externalId }: PageQuery): boolean =>
  search === undefined && externalId === undefined && (statuses !== undefined || showTerminated === true);

export async function scanForPage(database: Database, page: PageQuery): Promise<Scan> {
  const isShown = page.showTerminated === true ? liveOrShown : isLive;
  const isAsked = page.statuses === undefined ? sql`true` : sql`${shownStatus} = any(${[...page.statuses]}::text[])`;
  const found = await inOrder(
    database
      .selectFrom(numberedRows(database, page).as('resources'))
      .select(resourceColumns)
      .select([sql<number>`place`.as('place'), sql<boolean>`(${isShown} and ${isAsked})`.as('matches')])
      .where(sql<boolean>`(place = ${rowsPerScan} or (${isShown} and ${isAsked}))`),
    page,
  )
    .limit(page.limit + 1)
    .execute();
  const rows = found.filter(({ matches }) => matches).slice(0, page.limit);
  const end = rows.length < page.limit ? found.find(({ place }) => place === rowsPerScan) : undefined;
  return { rows: rows.map(({ place, matches, ...row }) => row), endedAt: end && positionOf(page.sort, end) };
}

/** The next rows in order: live and terminated rows are read through separate indexes and merged. */
function numberedRows(database: Database, page: PageQuery) {
  const part = (over: 'is' | 'is not') =>
    inOrder(rangeOf(database.selectFrom('resources').selectAll().where('terminated_at', over, null), page), page).limit(
      rowsPerScan,
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
  ).limit(rowsPerScan);
}

/** For responses without a cursor: repeats scans until the page is full or the list ends. */
export async function scanUntilFull(
  database: Database,
  page: PageQuery,
  scansLeft = Number.POSITIVE_INFINITY,
): Promise<ResourceRow[]> {
  const rows: ResourceRow[] = [];
  let { after } = page;
  for (let scans = 0; scans < scansLeft; scans += 1) {
    const scan = await scanForPage(database, { ...page, after, limit: page.limit - rows.length });
    rows.push(...scan.rows);
    after = scan.endedAt;
    if (after === undefined) return rows;
  }
  throw requestErrors.invalid_request({
    reason: `anchor=end with these filters looks at ${rowsPerScan * maxScans} resources at most. Use sort=createdAt:asc and follow the cursor.`,
  });
}

/** The oldest matching rows, within a bounded number of scans. */
export const scanFromEnd = (database: Database, page: PageQuery): Promise<ResourceRow[]> =>
  scanUntilFull(database, page, maxScans);
