// Lists resources of any kind. API versions with wrapped lists get pages behind sealed cursors. Earlier versions get
// the whole list, newest first, streamed so that memory use stays constant.
import { type Kind, type KindQuery, requestErrors, type UniformOperation } from '@berth/contract';
import { nilUuid } from '@berth/database';
import { type ReadCall, StreamedAnswer } from '../http/call.ts';
import { loadEvents } from './events.ts';
import { type PageQuery, positionOf, readPage } from './page.ts';
import { cutPage, openPaging, streamArray } from './paging.ts';
import { findParent, type ResourceRow } from './record.ts';
import { renderRows } from './render-rows.ts';
import type { KindRules } from './rules.ts';
import { needsScan, scanForPage, scanFromEnd, scanUntilFull } from './scan.ts';
import { normalizeQuery } from './search-text.ts';

const defaultLimit = 50;
const streamedBatch = 500;

export async function listResources(call: ReadCall<UniformOperation>, rules: KindRules): Promise<unknown> {
  const { kind } = rules;
  const parent = await findParent(call.database, call.workspace.id, kind, call.params);
  const { query } = call;
  const filter = {
    workspaceId: call.workspace.id,
    kind: kind.kind,
    parentUid: parent.uid,
    externalId: query.externalId,
    showTerminated: query.showTerminated === true || query.status?.includes('TERMINATED') === true,
  };
  if (kind.listing.paged && call.version.has('wrappedLists')) return listPage(call, rules, filter, query);
  const newestFirst = { ...filter, sort: 'createdAt:desc', limit: streamedBatch } as const;
  return new StreamedAnswer(
    streamArray(
      streamedBatch,
      (last: ResourceRow | undefined) => {
        const batch = { ...newestFirst, after: last && positionOf(newestFirst.sort, last) };
        return needsScan(batch)
          ? inTurn(call, () => scanUntilFull(call.database, batch))
          : readPage(call.database, batch);
      },
      (rows) => renderItems(call, rules, rows, parent.rows),
    ),
  );
}

/** Runs one scan at a time per account: many in parallel would take the database's CPU from other accounts. */
const inTurn = <Result>({ dependencies, workspace }: ReadCall, scan: () => Promise<Result>): Promise<Result> =>
  dependencies.longListings.run(workspace.account.id, scan);

type Filter = Pick<PageQuery, 'workspaceId' | 'kind' | 'parentUid' | 'externalId' | 'showTerminated'>;

async function listPage(call: ReadCall, rules: KindRules, filter: Filter, query: KindQuery): Promise<unknown> {
  const { sort = 'createdAt:desc', limit = defaultLimit, anchor, cursor } = query;
  if (anchor !== undefined && (cursor !== undefined || sort !== 'createdAt:desc')) {
    throw requestErrors.invalid_request({ reason: 'anchor=end goes with sort createdAt:desc and without a cursor.' });
  }
  const statuses = isEveryStatus(rules.kind, query.status) ? undefined : query.status;
  const search = normalizeQuery(query.q);
  const bound = { ...filter, search, statuses };
  const paging = await openPaging(call, { ...bound, sort }, cursor);
  const counted = totalOf(call, filter);
  // Not awaited yet: the counter is read in parallel with the page, and its rejection must not stay unhandled when the
  // page fails.
  counted.catch(() => {});
  if (anchor === 'end') {
    const end = { ...bound, sort: 'createdAt:asc', limit } as const;
    const oldest = await (needsScan(end)
      ? inTurn(call, () => scanFromEnd(call.database, end))
      : readPage(call.database, end));
    const total = await counted;
    return { data: await renderItems(call, rules, oldest.reverse()), meta: { hasMore: false, nextCursor: '', total } };
  }
  const asked = { ...bound, sort, after: paging.after, limit: limit + 1 };
  const { rows, endedAt } = needsScan(asked)
    ? await inTurn(call, () => scanForPage(call.database, asked))
    : { rows: await readPage(call.database, asked), endedAt: undefined };
  const { page, meta } = cutPage(rows, limit, paging, (row) => positionOf(sort, row), endedAt);
  const total = await counted;
  return { data: await renderItems(call, rules, page), meta: { ...meta, total } };
}

/** A filter with every status is the same as no filter. */
const isEveryStatus = (kind: Kind, asked: readonly string[] | undefined): boolean =>
  asked === undefined || asked.length === 0 || asked.length === kind.statuses?.length;

async function totalOf({ database }: ReadCall, { workspaceId, kind, parentUid = nilUuid }: Filter): Promise<number> {
  const counter = await database
    .selectFrom('resource_counts')
    .select('live')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
    .where('parent_uid', '=', parentUid)
    .executeTakeFirst();
  return counter?.live ?? 0;
}

async function renderItems(
  call: ReadCall,
  rules: KindRules,
  rows: readonly ResourceRow[],
  parents: readonly ResourceRow[] = [],
): Promise<unknown[]> {
  const { kind, render } = rules;
  const withEvents = kind.status !== undefined && kind.listing.withoutEvents !== true;
  const events = withEvents ? await loadEvents(call.database, rows) : undefined;
  const { dependencies, workspace } = call;
  const items = await renderRows(call.database, rules, rows, events, { dependencies, workspace, parents });
  return render?.page === undefined ? items : render.page(call, items, rows);
}
