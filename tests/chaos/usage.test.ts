// Usage is sent several times, in any order and up to a day late, while every process of the control plane is killed. The
// account is billed for exactly what was used, before and after its hours are closed.
import { setTimeout as sleep } from 'node:timers/promises';
import { uuidv7 } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { checkUsage, openUsage } from '@berth/usage';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import { joinAsUsageSender, type UsageSender } from '../../services/runner/test/usage-sender.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { isFull, seed } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { clientOf } from '../harness/workloads.ts';

const count = isFull ? 50_000 : 2_000;
const kills = isFull ? 60 : 6;
const names = 20;
const batchSize = isFull ? 500 : 100;
const convergeMs = 900_000;
const hour = 3_600_000;
const random = seededRandom(seed);
const between = (from: number, to: number): number => Math.floor(from + random() * (to - from));

interface Interval {
  readonly instance: string;
  readonly number: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly memoryMb: number;
}

let fleet: Fleet;
let sender: UsageSender;
let accountId: string;
/** Begin of the time in which all is used. It ends before the present. */
const base = Math.floor(Date.now() / hour) * hour - 26 * hour;
const spanMs = 25 * hour;

beforeAll(async () => {
  fleet = await startFleet({ name: 'usage', workspaces: ['main'], machines: 0 });
  sender = await joinAsUsageSender(`https://127.0.0.1:${fleet.nodePort}`, await fleet.createJoinToken());
  accountId = (await clientOf(fleet).get('/accounts')).body[0].id;
  // An account has prices from its first workspace on.
  await sql`update prices set valid_from = '2020-01-01'`.execute(fleet.database);
}, 240_000);
afterAll(async () => {
  sender?.close();
  await fleet?.[Symbol.asyncDispose]();
});

/** Rows as the orchestrator writes them; what ran there ended up to a day ago. */
async function addInstances(): Promise<string[]> {
  const ids = Array.from({ length: names }, () => uuidv7());
  for (const [index, id] of ids.entries()) {
    const spec = { resource: { uid: id, kind: 'agent', name: `agent-${index}` }, memoryMb: 4_096 };
    await fleet.database
      .insertInto('instances')
      .values({
        ...{ id, workspace_id: fleet.workspaceIds[0] ?? '', resource_uid: id, revision: '1' },
        ...{ runner_id: sender.runnerId, spec: JSON.stringify(spec), reserved_mb: 0, desired: 'gone', state: 'gone' },
        ...{ created_at: new Date(base), ended_at: new Date(base + spanMs + hour) },
      })
      .execute();
  }
  return ids;
}

/** Intervals of an instance follow each other with gaps; some cross full hours. */
function intervalsOf(instance: string, wanted: number): Interval[] {
  const stepMs = Math.floor(spanMs / wanted);
  return Array.from({ length: wanted }, (_, number) => {
    const fromMs = base + number * stepMs + between(0, stepMs / 4);
    return { instance, number, fromMs, toMs: fromMs + between(1, stepMs / 2), memoryMb: between(1, 4_096) };
  });
}

/** States in which an interval is sent: shorter ones before its end, and some of them twice. */
function statesOf(interval: Interval): Interval[] {
  const shorter = { ...interval, toMs: between(interval.fromMs, interval.toMs) };
  return random() < 0.5 ? [interval, shorter] : [interval, interval];
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ item }) => item);
}

/** Usage in 10⁻⁶ GB-seconds of each name, rounded for each hour, and its cost in 10⁻¹² USD at 7 × 10⁻⁶ USD. */
function truth(intervals: readonly Interval[], ids: readonly string[]): Map<string, { micro: bigint; pico: bigint }> {
  const kibMs = new Map<string, bigint>();
  for (const { instance, fromMs, toMs, memoryMb } of intervals)
    for (let at = Math.floor(fromMs / hour) * hour; at < toMs; at += hour) {
      const ms = Math.min(toMs, at + hour) - Math.max(fromMs, at);
      const key = `${ids.indexOf(instance)} ${at}`;
      kibMs.set(key, (kibMs.get(key) ?? 0n) + BigInt(ms) * BigInt(memoryMb) * 1_024n);
    }
  const sums = new Map<string, { micro: bigint; pico: bigint }>();
  for (const [key, used] of kibMs) {
    const name = `agent-${key.split(' ')[0]}`;
    const { micro, pico } = sums.get(name) ?? { micro: 0n, pico: 0n };
    const hourMicro = (used * 1_000n + 524_288n) / 1_048_576n;
    // 7 × 10^-6 USD for a GB-second: 7 × 10^6 of 10^-12 USD for 10^6 of 10^-6 units.
    sums.set(name, { micro: micro + hourMicro, pico: pico + hourMicro * 7n });
  }
  return sums;
}

/** Whole number of parts of 10 to the power of -`digits`, from the text of a number. */
const parts = (text: string, digits: number): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(digits, '0'));
};

/** What the account is billed for, by name. Numbers are read as text, because they have more digits than a JavaScript number. */
async function billed(): Promise<Map<string, { micro: bigint; pico: bigint }>> {
  const window = `startTime=${new Date(base).toISOString()}&endTime=${new Date(base + 2 * spanMs).toISOString()}`;
  const path = `/v0/accounts/${accountId}/metrics?${window}&resolution=hourly&groupBy=resource_name,billing_dimension`;
  const answer = await fetch(`${fleet.url}${path}`, { headers: { authorization: `Bearer ${fleet.key}` } });
  const text = await answer.text();
  expect([answer.status, answer.status === 200 || text]).toEqual([200, true]);
  const body = JSON.parse(text.replace(/"(cost|usage)":(-?[\d.]+)/g, '"$1":"$2"'));
  return new Map(
    body.data.map(({ resourceName, summary }: { resourceName: string; summary: { cost: string; usage: string } }) => [
      resourceName,
      { micro: parts(summary.usage, 6), pico: parts(summary.cost, 12) },
    ]),
  );
}

const sorted = <T>(sums: ReadonlyMap<string, T>) => [...sums].toSorted(([left], [right]) => (left < right ? -1 : 1));

const targets = () => [
  ...[fleet.api, fleet.orchestrator].map((process) => ({
    name: process.roles,
    kill: () => process.kill(),
    start: () => process.start(),
  })),
  ...[fleet.postgres, fleet.clickhouse].map(({ name, kill, start }) => ({ name, kill, start })),
];

test(
  `${count} intervals are billed exactly, through ${kills} kills (seed ${seed})`,
  async () => {
    const ids = await addInstances();
    const intervals = ids.flatMap((id) => intervalsOf(id, count / names));
    const messages = shuffled(intervals.flatMap(statesOf));
    let acknowledged = 0;
    let tries = 0;
    const sending = (async () => {
      for (let at = 0; at < messages.length; at += batchSize) {
        tries += await sender.send({ intervals: messages.slice(at, at + batchSize), ended: [] });
        acknowledged = at + batchSize;
      }
      tries += await sender.send({ intervals: [], ended: ids });
    })();
    const killing = (async () => {
      for (let round = 0; round < kills; round += 1) {
        await until(() => acknowledged >= ((round + 0.5) / kills) * messages.length, convergeMs);
        const target = targets()[round % targets().length];
        await target?.kill();
        await sleep(random() * 500);
        await target?.start();
      }
    })();
    await Promise.all([sending, killing]);
    const expected = sorted(truth(intervals, ids));
    expect(sorted(await billed()), `seed ${seed}, before all hours are closed`).toEqual(expected);

    // A killed orchestrator leaves its claims; their lease is over here without the wait.
    await fleet.orchestrator.kill();
    await sql`update usage_dirty_hours set claimed_until = '-infinity'`.execute(fleet.database);
    await fleet.orchestrator.start();
    const dirty = async () => {
      const { rows } = await sql`select from usage_dirty_hours where hour < now() - interval '80 minutes'`.execute(
        fleet.database,
      );
      return rows.length;
    };
    await expect.poll(dirty, { timeout: 120_000, interval: 500 }).toBe(0);
    expect(sorted(await billed()), `seed ${seed}, after all hours are closed`).toEqual(expected);
    await using usage = open(fleet.clickhouse.url);
    expect(await checkUsage(fleet.database, usage.check, 3)).toEqual([]);
    console.log(`${messages.length} messages in ${tries} tries, ${kills} kills`);
  },
  convergeMs,
);

function open(url: string) {
  const usage = openUsage({ url, logger: createLogger({ role: 'test' }, { level: 'error' }) });
  return { ...usage, [Symbol.asyncDispose]: () => usage.close() };
}
