// Rows per second into the ledger, beside inserts of the bare client: the same rows and format, as many rows under way.

import { uuidv7 } from '@berth/database';
import type { ClickHouseClient } from '@clickhouse/client';
import { someRow } from '../../packages/usage/test/some-rows.ts';
import type { TestUsage } from '../../packages/usage/test/start-usage.ts';
import type { Measure } from '../bench.ts';
import { inParallel } from '../support/bare-restate.ts';
import { median, rounded, timedMs } from '../support/statistics.ts';

const turns = 3;
/** A message of a runner has at most as many. */
const rowsOfMessage = 1_000;
const rowsOfInsert = 5_000;
const rowsUnderWay = 20_000;

const row = someRow();

const someRows = (count: number) =>
  Array.from({ length: count }, () => ({ ...row, source: uuidv7(), resourceUid: uuidv7() }));

/** As the ledger's table has them. */
const columnsOf = (each: typeof row) => ({
  ...{ account_id: each.accountId, workspace_id: each.workspaceId, workspace: each.workspace },
  ...{ resource_type: each.resourceType, resource_name: each.resourceName, resource_uid: each.resourceUid },
  ...{ dimension: each.dimension, source: each.source, interval: each.interval, part: each.part },
  ...{ hour: each.fromMs / 1_000, from: each.fromMs / 1_000, to: each.toMs / 1_000 },
  ...{ rate: each.rate, amount: each.amount, version: each.toMs },
});

export async function* ingest(
  usage: TestUsage['usage'],
  client: ClickHouseClient,
  count: number,
): AsyncGenerator<Measure> {
  await client.command({ query: 'CREATE TABLE bare_intervals AS usage_intervals' });
  const messages = Array.from({ length: rowsUnderWay / rowsOfMessage }, () => someRows(rowsOfMessage));
  const inserts = Array.from({ length: rowsUnderWay / rowsOfInsert }, () => someRows(rowsOfInsert).map(columnsOf));
  const ours = () =>
    inParallel(count / rowsOfMessage, messages.length, async (index) => {
      await usage.ledger.write(messages[index % messages.length] ?? []);
    });
  const bare = () =>
    inParallel(count / rowsOfInsert, inserts.length, async (index) => {
      const values = inserts[index % inserts.length] ?? [];
      await client.insert({ table: 'bare_intervals', values, format: 'JSONEachRow' });
    });
  const perSecond: Readonly<Record<'ours' | 'bare', number[]>> = { ours: [], bare: [] };
  for (let turn = 0; turn < turns; turn += 1) {
    perSecond.ours.push((count / (await timedMs(ours))) * 1_000);
    perSecond.bare.push((count / (await timedMs(bare))) * 1_000);
  }
  const [own, barePerSecond] = [median(perSecond.ours), median(perSecond.bare)];
  yield {
    name: 'rows into the ledger / bare inserts',
    value: own / barePerSecond,
    unit: 'x',
    bound: { atLeast: 0.5 },
    detail: { perSecond: rounded(own), barePerSecond: rounded(barePerSecond), turns, rows: count },
  };
}
