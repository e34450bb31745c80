// Billing metrics of an account with very many hours, beside the plain GROUP BY on a plain MergeTree with the same rows; and
// rows that the ledger stores, beside inserts of the bare client.
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { startUsage, type TestUsage } from '../packages/usage/test/start-usage.ts';
import type { Bench, Measure } from './bench.ts';
import { ingest } from './metrics/ingest.ts';
import { type Question, questions } from './metrics/questions.ts';
import { lastHourMs, prices, seedHours, yearEndMs } from './metrics/seed-hours.ts';
import { median, quantile, rounded, timedMs } from './support/statistics.ts';

const rounds = 10;
const farPage = 50;

export const metrics: Bench = {
  name: 'metrics',
  about: 'metrics of an account / plain GROUP BY on a plain table; rows into the ledger / inserts of the bare client',
  async *run({ full }) {
    await using running = await startUsage();
    const client = createClient({
      ...{ url: running.engine.url, request_timeout: 3_600_000, log: { level: ClickHouseLogLevel.OFF } },
    });
    try {
      const startedAt = performance.now();
      const { accountId, ...size } = await seedHours(client, running.usage, full ? 200_000_000 : 2_000_000);
      yield {
        name: 'storing the hours twice',
        value: (performance.now() - startedAt) / 1_000,
        unit: 's',
        detail: size,
      };
      for (const question of questions) yield* measure(running, client, accountId, question);
      yield* ingest(running.usage, client, full ? 1_000_000 : 100_000);
    } finally {
      await client.close();
    }
  },
};

async function* measure(
  { usage }: TestUsage,
  client: ClickHouseClient,
  accountId: string,
  { name, fromMs, resolution, groupBy, plain }: Question,
): AsyncGenerator<Measure> {
  const window = { fromMs, toMs: yearEndMs, dirtyHoursMs: [], prices };
  const query = { accountId, ...window, resolution, groupBy, filters: {} };
  // Groups have the same order in every resolution, and this one answers with the fewest buckets.
  const { groups, total } = await usage.metrics.query({ ...query, resolution: 'monthly', limit: 1_000_000 });
  const limit = Math.max(1, Math.min(100, Math.floor(groups.length / (farPage + 1))));
  // The page begins behind this group.
  const after = groups[(farPage - 1) * limit - 1];
  const ways = {
    first: () => usage.metrics.query({ ...query, limit }),
    far: () => usage.metrics.query({ ...query, limit, after }),
    running: () => usage.metrics.query({ ...query, limit, dirtyHoursMs: [lastHourMs] }),
    plain: async () => {
      const query_params = { accountId, from: new Date(fromMs), to: new Date(yearEndMs) };
      const answer = await client.query({ query: plain, query_params, format: 'JSONEachRow' });
      return answer.json();
    },
  };
  if ((await ways.running()).total.pico === 0n || total.pico === 0n) throw new Error(`${name} has no cost.`);
  const times: Readonly<Record<keyof typeof ways, number[]>> = { first: [], far: [], running: [], plain: [] };
  // In turns, so that other load on the machine affects all alike.
  for (let round = -1; round < rounds; round += 1)
    for (const way of ['first', 'far', 'running', 'plain'] as const) {
      const ms = await timedMs(ways[way]);
      if (round >= 0) times[way].push(ms);
    }
  const figures = (way: keyof typeof ways) => ({
    ...{ p50Ms: rounded(median(times[way])), p95Ms: rounded(quantile(times[way], 0.95)) },
    ...{ plainP50Ms: rounded(median(times.plain)), groups: groups.length, limit },
  });
  for (const [page, way] of [
    [1, 'first'],
    [farPage, 'far'],
  ] as const) {
    const value = median(times[way]) / median(times.plain);
    yield { name: `${name}, page ${page} / plain`, value, unit: 'x', bound: { atMost: 1.3 }, detail: figures(way) };
  }
  // Without a bound: the plain table has no running hour.
  const more = median(times.running) - median(times.first);
  yield { name: `${name}, added by the running hour`, value: more, unit: 'ms', detail: figures('running') };
}
