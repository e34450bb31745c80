// Usage is sent several times, in any order and up to a day late, while every process of the control plane is killed and
// ClickHouse is away. The account is billed for exactly what was used, before and after its hours are closed, and each
// threshold of its budget is told once.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultBrand, headerNames } from '@berth/contract';
import { uuidv7 } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { checkUsage, monthAt, openUsage } from '@berth/usage';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import { Receiver } from '../../services/orchestrator/test/receiver.ts';
import { joinAsMeteringRunner, type MeteringRunner } from '../../services/runner/test/metering-runner.ts';
import { joinAsUsageSender, type UsageSender } from '../../services/runner/test/usage-sender.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { isFull, seed } from '../harness/size.ts';
import { until } from '../harness/until.ts';
import { clientOf } from '../harness/workloads.ts';
import { type Billed, billedHours, type Interval, RandomUsage, sumsBy } from './usage-intervals.ts';

const count = isFull ? 50_000 : 2_000;
const kills = isFull ? 60 : 6;
const names = 20;
const batchSize = isFull ? 500 : 100;
/** Time without ClickHouse, in which the runner goes on metering. */
const awayMs = isFull ? 600_000 : 20_000;
const meteredNames = 4;
const meteredCount = awayMs / 200;
/** From the return of ClickHouse to an empty journal. */
const drainMs = 60_000;
const convergeMs = isFull ? 2_400_000 : 900_000;
const percents = [10, 50, 90, 110];
const hour = 3_600_000;
const random = seededRandom(seed);
const some = new RandomUsage(random);

let fleet: Fleet;
let sender: UsageSender;
let runner: MeteringRunner;
let receiver: Receiver;
let accountId: string;
let folder: string;
/** Time in which all is used. It ends before the present. */
const base = Math.floor(Date.now() / hour) * hour - 26 * hour;
const used = { fromMs: base, toMs: base + 25 * hour };

beforeAll(async () => {
  fleet = await startFleet({
    ...{ name: 'usage', workspaces: ['main'], machines: 0 },
    settings: { BERTH_ORCHESTRATOR_CALLBACKS_ALLOWED_RANGES: '[127.0.0.0/8]' },
  });
  folder = await mkdtemp(join(tmpdir(), 'berth-usage-'));
  const apiUrl = `https://127.0.0.1:${fleet.nodePort}`;
  sender = await joinAsUsageSender(apiUrl, await fleet.createJoinToken());
  const joinToken = await fleet.createJoinToken();
  runner = await joinAsMeteringRunner({ apiUrl, joinToken, stateFolder: folder, sinceMs: base });
  receiver = await Receiver.start();
  accountId = (await clientOf(fleet).get('/accounts')).body[0].id;
  // An account has prices from its first workspace on.
  await sql`update prices set valid_from = '2020-01-01'`.execute(fleet.database);
});
afterAll(async () => {
  sender?.close();
  await runner?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await fleet?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Rows as the orchestrator writes them; what ran there ended up to a day ago. */
async function addInstances(runnerId: string, wanted: readonly string[]): Promise<Map<string, string>> {
  const nameOf = new Map(wanted.map((name) => [uuidv7(), name]));
  for (const [id, name] of nameOf) {
    const spec = { resource: { uid: id, kind: 'agent', name }, memoryMb: 4_096 };
    await fleet.database
      .insertInto('instances')
      .values({
        ...{ id, workspace_id: fleet.workspaceIds[0] ?? '', resource_uid: id, revision: '1' },
        ...{ runner_id: runnerId, spec: JSON.stringify(spec), reserved_mb: 0, desired: 'gone', state: 'gone' },
        ...{ created_at: new Date(base), ended_at: new Date(used.toMs + hour) },
      })
      .execute();
  }
  return nameOf;
}

const numbered = (prefix: string, wanted: number): string[] =>
  Array.from({ length: wanted }, (_, index) => `${prefix}-${index}`);

/** Whole number of parts of 10 to the power of -`digits`, from the text of a number. */
const parts = (text: string, digits: number): bigint => {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(digits, '0'));
};

const askMetrics = (): Promise<Response> => {
  const window = `startTime=${new Date(base).toISOString()}&endTime=${new Date(base + 50 * hour).toISOString()}`;
  const path = `/v0/accounts/${accountId}/metrics?${window}&resolution=hourly&groupBy=resource_name,billing_dimension`;
  return fetch(`${fleet.url}${path}`, { headers: { authorization: `Bearer ${fleet.key}` } });
};

/** What the account is billed for, by name. Numbers are read as text, because they have more digits than a JavaScript number. */
async function billed(): Promise<Map<string, Billed>> {
  const answer = await askMetrics();
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

/** As if time had passed: budgets are due for an evaluation, and callbacks for a try. Repeated while PostgreSQL is away. */
async function passTime(): Promise<void> {
  await until(() =>
    sql`
      with evaluated as (update budgets set evaluated_at = '-infinity')
      update deliveries set next_at = now(), claimed_until = null where delivered_at is null`
      .execute(fleet.database)
      .then(
        () => true,
        () => false,
      ),
  );
}

/** Sends all states of the intervals while processes are killed. */
async function sendThroughKills(intervals: readonly Interval[], ended: readonly string[]): Promise<string> {
  const messages = some.states(intervals);
  let acknowledged = 0;
  let tries = 0;
  const sending = (async () => {
    for (let at = 0; at < messages.length; at += batchSize) {
      tries += await sender.send({ intervals: messages.slice(at, at + batchSize), ended: [] });
      acknowledged = at + batchSize;
    }
    tries += await sender.send({ intervals: [], ended: [...ended] });
  })();
  const killing = (async () => {
    for (let round = 0; round < kills; round += 1) {
      await until(() => acknowledged >= ((round + 0.5) / kills) * messages.length, convergeMs);
      const target = targets()[round % targets().length];
      await passTime();
      await target?.kill();
      await sleep(random() * 500);
      await target?.start();
    }
  })();
  await Promise.all([sending, killing]);
  return `${messages.length} messages in ${tries} tries, ${kills} kills`;
}

/** Meters while ClickHouse is away. Returns the time from its return until the journal of the runner is empty. */
async function meterWithoutClickhouse(intervals: readonly Interval[], ended: readonly string[]): Promise<number> {
  await fleet.clickhouse.kill();
  const inOrder = intervals.toSorted((left, right) => left.fromMs - right.fromMs);
  for (const interval of inOrder) {
    runner.record(interval.instance, interval);
    await sleep(awayMs / intervals.length);
  }
  for (const id of ended) runner.end(id);
  expect(runner.unacknowledged).toBe(intervals.length);
  const refused = await askMetrics();
  expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining('Try again')]);
  await fleet.clickhouse.start();
  const backAt = performance.now();
  await until(() => runner.unacknowledged === 0, drainMs);
  return performance.now() - backAt;
}

const dirtyHours = async () => {
  const { rows } = await sql`select from usage_dirty_hours where hour < now() - interval '80 minutes'`.execute(
    fleet.database,
  );
  return rows.length;
};

const openDeliveries = async () => {
  const { rows } = await sql`select from deliveries where delivered_at is null`.execute(fleet.database);
  return rows.length;
};

/** Thresholds of the budget with what was stored and what the receiver was told of each. */
async function toldThresholds(): Promise<string[]> {
  const { rows } = await sql<{ month: string; percent: number; id: string }>`
    select month, percent, delivery_id as id from budget_alerts`.execute(fleet.database);
  const name = headerNames(defaultBrand).deliveryId.toLowerCase();
  const told = receiver.calls.map(({ headers, body }) => {
    const { month, threshold } = JSON.parse(body);
    return `${month} ${threshold} ${headers[name]}`;
  });
  expect(new Set(told)).toEqual(new Set(rows.map(({ month, percent, id }) => `${month} ${percent} ${id}`)));
  return rows.map(({ month, percent }) => `${month} ${percent}`).toSorted();
}

test(
  `${count} intervals are billed exactly, through ${kills} kills and ${awayMs / 1_000} s without ClickHouse (seed ${seed})`,
  async () => {
    const ofSender = await addInstances(sender.runnerId, numbered('agent', names));
    const ofRunner = await addInstances(runner.runnerId, numbered('metered', meteredNames));
    const sent = [...ofSender.keys()].flatMap((id) => some.intervals(id, used, count / names));
    const metered = [...ofRunner.keys()].flatMap((id) => some.intervals(id, used, meteredCount / meteredNames));
    const truth = billedHours([...sent, ...metered]);
    const expected = sorted(sumsBy(truth, ({ instance }) => ofSender.get(instance) ?? ofRunner.get(instance) ?? ''));

    // The usage may be that of two months; the amount is the cost of the one with more.
    const costs = sumsBy(truth, ({ hourMs }) => monthAt(hourMs));
    const amountMicroUsd = [...costs.values()].reduce((most, { pico }) => (pico > most ? pico : most), 0n) / 1_000_000n;
    const amount = Number(amountMicroUsd) / 1_000_000;
    const budget = { amount, thresholds: percents, callbackUrl: receiver.url };
    expect((await clientOf(fleet).put(`/accounts/${accountId}/budgets/all`, budget)).status).toBe(200);
    // A budget does not judge months that were over when it was written.
    await sql`update budgets set updated_at = '2020-01-01'`.execute(fleet.database);
    const thresholds = [...costs].flatMap(([month, { pico }]) =>
      percents
        .filter((percent) => pico * 100n >= amountMicroUsd * 1_000_000n * BigInt(percent))
        .map((percent) => `${month} ${percent}`),
    );

    // A callback that is not answered is under way when its process is killed.
    receiver.answer = () => undefined;
    const summary = await sendThroughKills(sent, [...ofSender.keys()]);
    const drainedMs = await meterWithoutClickhouse(metered, [...ofRunner.keys()]);
    expect(sorted(await billed()), `seed ${seed}, before all hours are closed`).toEqual(expected);

    // A killed orchestrator leaves its claims; their lease is over here without the wait.
    await fleet.orchestrator.kill();
    await sql`update usage_dirty_hours set claimed_until = '-infinity'`.execute(fleet.database);
    await passTime();
    receiver.answer = () => 200;
    await fleet.orchestrator.start();
    await expect.poll(dirtyHours, { timeout: 120_000, interval: 500 }).toBe(0);
    expect(sorted(await billed()), `seed ${seed}, after all hours are closed`).toEqual(expected);
    await using usage = open(fleet.clickhouse.url);
    expect(await checkUsage(fleet.database, usage.check, 3)).toEqual([]);

    await expect.poll(openDeliveries, { timeout: 60_000, interval: 500 }).toBe(0);
    expect(await toldThresholds()).toEqual(thresholds.toSorted());
    console.log(`${summary}; journal empty ${drainedMs.toFixed(0)} ms after ${awayMs / 1_000} s without ClickHouse`);
    console.log(`${thresholds.length} thresholds told in ${receiver.calls.length} calls`);
  },
  convergeMs,
);

function open(url: string) {
  const usage = openUsage({ url, logger: createLogger({ role: 'test' }, { level: 'error' }) });
  return { ...usage, [Symbol.asyncDispose]: () => usage.close() };
}
