// Pagination: opened with the cursor of the last page, it yields the cursor of the next.
import { createHash } from 'node:crypto';
import type { ReadCall } from '../http/call.ts';
import { type Position, readCursor, writeCursor } from './cursor.ts';

export interface Paging {
  readonly after: Position | undefined;
  cursorAfter(position: Position): string;
}

/** `query` is everything that the cursor is bound to. */
export async function openPaging(
  { dependencies }: Pick<ReadCall, 'dependencies'>,
  query: object,
  cursor: string | undefined,
): Promise<Paging> {
  const fingerprint = createHash('sha256').update(JSON.stringify(query)).digest('base64url');
  const bound = { fingerprint, nowMs: dependencies.now() };
  const key = await dependencies.keyring.deploymentKey(dependencies.database, 'cursor');
  return {
    after: cursor === undefined ? undefined : readCursor(key, bound, cursor),
    cursorAfter: (position) => writeCursor(key, bound, position),
  };
}

/** Cuts one page from `limit + 1` rows; the extra row shows that there are more. */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  paging: Paging,
  positionOf: (row: Row) => Position,
  /** Position where reading stopped before there were enough rows. */
  endedAt?: Position | undefined,
) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next = rows.length > limit && last !== undefined ? positionOf(last) : endedAt;
  return {
    page,
    meta: { hasMore: next !== undefined, nextCursor: next === undefined ? '' : paging.cursorAfter(next) },
  };
}

/** Streams a JSON array batch by batch; each batch continues after the last row of the previous one. */
export async function* streamArray<Row>(
  batchSize: number,
  readBatch: (after: Row | undefined) => Promise<readonly Row[]>,
  render: (rows: readonly Row[]) => Promise<readonly unknown[]>,
): AsyncGenerator<string> {
  let separator = '[';
  let after: Row | undefined;
  for (;;) {
    const rows = await readBatch(after);
    const items = await render(rows);
    if (items.length > 0) {
      yield separator + items.map((item) => JSON.stringify(item)).join(',');
      separator = ',';
    }
    after = rows.at(-1);
    if (after === undefined || rows.length < batchSize) break;
  }
  yield separator === '[' ? '[]' : ']';
}
