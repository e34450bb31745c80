// Limits of models that several gateways enforce together, with a real PostgreSQL. Each gateway is one `createModelLimits`; the
// exchange of their sums is driven by hand.
import { setImmediate as turn } from 'node:timers/promises';
import { connect, type Database, uuidv7 } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../engines/test-database.ts';
import { openDatabaseLine } from '../../../tests/harness/database-line.ts';
import { seededRandom } from '../../../tests/harness/seeded-random.ts';
import { GatewayError } from '../src/errors/gateway-error.ts';
import { beginCounter, tokensOf } from '../src/limits/counter.ts';
import {
  createModelLimits,
  type FlushedModelLimits,
  type ModelLimitsOptions,
} from '../src/limits/create-model-limits.ts';
import type { LimitedModel, ModelBudget, TokenPolicy } from '../src/limits/model-limits.ts';
import { syncWindows } from '../src/limits/sync-windows.ts';
import { windowAt } from '../src/limits/window.ts';
import { countStatements } from './count-statements.ts';

const logger = createLogger({ role: 'test' }, { level: 'silent' });
/** Longer than any test. */
const never = 2 ** 31 - 1;
const priced = { provider: 'openai', model: 'gpt' };
const price = { ...priced, validFrom: '2020-01-01T00:00:00Z', sent: '0.75', cached: '0.1', received: '3.000001' };
const usd = 10n ** 9n;
/** A monotonic clock that stands still: however slow the machine is, what was read stays fresh. */
const still = (): number => 0;

let home: TestDatabase;
let database: Database;
beforeAll(async () => {
  home = await createTestDatabase();
  database = connect({ url: home.url, maxConnections: 8 });
});
afterAll(async () => {
  await database.destroy();
  await home.drop();
});

const open = (options: Partial<ModelLimitsOptions> = {}): FlushedModelLimits =>
  createModelLimits({ database, prices: [price], logger, flushMs: never, ...options });

/** The present window of 100 years ends in 2070. */
const policy = (limits: Partial<TokenPolicy> = {}): TokenPolicy => ({
  ...{ uid: uuidv7(), name: 'tokens', step: 1_200, granularity: 'month' },
  ...limits,
});
const budget = (nanoUsd: bigint): ModelBudget => ({ id: uuidv7(), name: 'models', nanoUsd });
const model = (limits: Partial<LimitedModel> = {}): LimitedModel => ({
  ...{ uid: uuidv7(), name: 'chat', workspaceId: uuidv7(), policies: [], budgets: [] },
  ...limits,
});
const tokens = (sent: number, received = 0, cached = 0) => ({ sent, cached, received });

/** The code of the refusal, or `passed`. */
async function judged(limits: FlushedModelLimits, of: LimitedModel, provider = priced): Promise<string> {
  try {
    await limits.check(of, provider);
    return 'passed';
  } catch (error) {
    if (error instanceof GatewayError) return error.code;
    throw error;
  }
}

/** Afterwards each gateway knows what all have counted until now. */
async function exchange(...gateways: readonly FlushedModelLimits[]): Promise<void> {
  for (const gateway of gateways) await gateway.flush();
  for (const gateway of gateways) await gateway.flush();
}

async function stored(subject: string, from = database) {
  const { rows } = await sql<{ rows: number; sent: string; received: string; nanoUsd: string; starts: Date[] }>`
    select count(*)::int as rows, coalesce(sum(sent), 0)::text as sent, coalesce(sum(received), 0)::text as received,
      coalesce(sum(nano_usd), 0)::text as "nanoUsd", array_agg(distinct window_start) as starts
    from limit_windows where subject = ${subject}`.execute(from);
  const [row] = rows;
  if (row === undefined) throw new Error('no sums');
  return row;
}

/** A database whose time a test sets. */
async function withOwnTime(start: string) {
  const own = await createTestDatabase();
  const first = connect({ url: own.url, maxConnections: 1 });
  await sql`create schema fake`.execute(first);
  await sql`create table fake.set (at timestamptz)`.execute(first);
  await sql`create function fake.clock_timestamp() returns timestamptz language sql volatile as 'select at from fake.set'`.execute(
    first,
  );
  await sql`alter database ${sql.id(own.name)} set search_path = fake, public, pg_catalog`.execute(first);
  await first.destroy();
  const changed = connect({ url: own.url, maxConnections: 4 });
  const setTime = async (time: string) => {
    await sql`delete from fake.set`.execute(changed);
    await sql`insert into fake.set values (${time})`.execute(changed);
  };
  await setTime(start);
  const close = async () => {
    await changed.destroy();
    await own.drop();
  };
  return { url: own.url, database: changed, setTime, [Symbol.asyncDispose]: close };
}

describe('several gateways', () => {
  test('pass a limit by what is in flight, and by what is not exchanged yet, and refuse nothing before it is used up', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = seededRandom(seed);
    const upTo = (max: number): number => 1 + Math.floor(random() * max);
    const [callers, perExchange, most, total] = [64, 50, 100, 100_000];
    const limited = model({ policies: [policy({ total })] });
    const gateways = [open(), open(), open()];
    let [passed, counted, sinceExchange, known] = [0, 0, 0, 0];
    let exchanging: Promise<void> | undefined;

    async function exchangeAll(): Promise<void> {
      const before = counted;
      sinceExchange = 0;
      await exchange(...gateways);
      known = before;
      exchanging = undefined;
    }

    async function call(): Promise<void> {
      for (;;) {
        if (sinceExchange >= perExchange) {
          exchanging ??= exchangeAll();
          await exchanging;
        }
        const knownBefore = known;
        const gateway = gateways[Math.floor(random() * gateways.length)] ?? open();
        const verdict = await judged(gateway, limited);
        if (verdict === 'POLICY_VIOLATION') return void expect(counted, `seed ${seed}`).toBeGreaterThanOrEqual(total);
        expect([verdict, knownBefore < total], `seed ${seed}`).toEqual(['passed', true]);
        sinceExchange += 1;
        const used = tokens(upTo(most / 2), upTo(most / 2));
        passed += used.sent + used.received;
        for (let turns = upTo(5); turns > 0; turns -= 1) await turn();
        gateway.count(limited, priced, used);
        counted += used.sent + used.received;
      }
    }

    await Promise.all(Array.from({ length: callers }, call));
    // Requests pass until the exchange that tells of the full window is over. Until then these are not known to all: those in
    // flight when the exchange before it began, and those of both exchanges, where each caller may exceed the number by one.
    expect(passed, `seed ${seed}`).toBeLessThanOrEqual(total + most * (callers + 2 * (perExchange + callers)));
    await exchange(...gateways);
    const { sent, received } = await stored(limited.policies[0]?.uid ?? '');
    expect(Number(sent) + Number(received), `seed ${seed}`).toBe(passed);
    await Promise.all(gateways.map((gateway) => gateway.close()));
  });

  test('keep what a killed one has written, count nothing twice, and miss only what it had not written', async () => {
    const [killed, other] = [open(), open()];
    const limited = model({ policies: [policy({ total: 20 })] });
    const [{ uid } = policy()] = limited.policies;
    for (const gateway of [killed, other]) expect(await judged(gateway, limited)).toBe('passed');
    killed.count(limited, priced, tokens(6, 4));
    await killed.flush();
    killed.count(limited, priced, tokens(100));
    // The process is gone; another one takes its place.
    const successor = open();
    expect(await judged(successor, limited)).toBe('passed');
    successor.count(limited, priced, tokens(0, 9));
    other.count(limited, priced, tokens(0, 0));
    await exchange(successor, other);
    expect(await judged(other, limited)).toBe('passed');
    expect(await stored(uid)).toMatchObject({ sent: '6', received: '13' });
    other.count(limited, priced, tokens(1));
    await exchange(other, successor);
    for (const gateway of [successor, other, open()]) expect(await judged(gateway, limited)).toBe('POLICY_VIOLATION');
    expect(await stored(uid)).toMatchObject({ sent: '7', received: '13', rows: 3 });
  });

  test('have the sums of a gateway that was closed', async () => {
    const limited = model({ policies: [policy({ total: 5 })] });
    const closed = open();
    await judged(closed, limited);
    closed.count(limited, priced, tokens(5));
    await closed.close();
    expect(await judged(open(), limited)).toBe('POLICY_VIOLATION');
  });

  test('count each model of a policy by itself, and each length of its window', async () => {
    const shared = policy({ total: 5 });
    const [first, second] = [model({ policies: [shared] }), model({ policies: [shared] })];
    const gateway = open();
    await judged(gateway, first);
    gateway.count(first, priced, tokens(5));
    expect([await judged(gateway, first), await judged(gateway, second)]).toEqual(['POLICY_VIOLATION', 'passed']);
    // Half of the centuries begin with the same window.
    expect(await judged(gateway, { ...first, policies: [{ ...shared, step: 2_400 }] })).toBe('passed');
  });

  test('refuse a model when all of its policies are used up, and tell which one has room first', async () => {
    const [small, large] = [policy({ name: 'small', input: 5 }), policy({ name: 'large', step: 2_400, output: 9 })];
    const limited = model({ policies: [large, small] });
    const gateway = open();
    await judged(gateway, limited);
    gateway.count(limited, priced, tokens(50, 8));
    expect(await judged(gateway, limited)).toBe('passed');
    gateway.count(limited, priced, tokens(0, 1));
    await expect(async () => gateway.check(limited, priced)).rejects.toMatchObject({
      message: expect.stringMatching(/^The policy small .* until 2070-01-01T00:00:00.000Z\. All 2 token policies/),
      details: { status: 429, retryAfterSeconds: expect.any(Number) },
    });
  });
});

describe('a statement', () => {
  test('whose commit is unknown is repeated and changes nothing', async () => {
    await using line = await openDatabaseLine(home.url);
    const limited = model({ policies: [policy({ total: 1_000 })] });
    const [{ uid } = policy()] = limited.policies;
    const gateway = open({ database: line.database });
    await judged(gateway, limited);
    gateway.count(limited, priced, tokens(10));
    await gateway.flush();
    gateway.count(limited, priced, tokens(5));
    const isBlocked = async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database);
      return rows.length;
    };
    await database.transaction().execute(async (tx) => {
      await sql`select from limit_windows where subject = ${uid} for update`.execute(tx);
      const flushing = gateway.flush();
      await expect.poll(isBlocked).toBe(1);
      // PostgreSQL has the statement, and its answer reaches nobody.
      line.become('cut');
      await flushing;
    });
    await expect.poll(async () => (await stored(uid)).sent).toBe('15');
    line.become('open');
    await gateway.flush();
    expect(await stored(uid)).toMatchObject({ sent: '15', rows: 1 });
    gateway.count(limited, priced, tokens(1));
    await gateway.flush();
    expect(await stored(uid)).toMatchObject({ sent: '16', rows: 1 });
    await gateway.close();
  });

  test('that was given up and runs after a later one takes nothing back', async () => {
    const counter = beginCounter(tokensOf(uuidv7(), policy()), Date.now(), { runId: uuidv7(), previous: undefined });
    const send = (sent: bigint) =>
      syncWindows(database, [{ counter, own: { sent, received: sent, nanoUsd: sent }, isChanged: true }]);
    for (const sent of [10n, 30n, 20n]) await send(sent);
    expect(await stored(counter.subject)).toMatchObject({ sent: '30', received: '30', nanoUsd: '30', rows: 1 });
  });

  test('reads for all that wait, and an idle gateway sends none', async () => {
    let skippedMs = 0;
    const counting = countStatements(database, 'limit_windows');
    const gateway = open({ database: counting.database, now: () => skippedMs });
    const models = Array.from({ length: 200 }, () => model({ policies: [policy({ total: 1 })] }));
    expect(await Promise.all(models.map((each) => judged(gateway, each)))).toEqual(models.map(() => 'passed'));
    // One for the clock, one for the request that came first, and one for all others.
    expect(counting.count()).toBe(3);
    await gateway.flush();
    expect(counting.count()).toBe(4);
    skippedMs += 10_000;
    await gateway.flush();
    expect(counting.count()).toBe(4);
  });

  test('is sent by itself while limits are in use', async () => {
    const [gateway, other] = [open({ flushMs: 5 }), open({ flushMs: 5 })];
    const limited = model({ policies: [policy({ total: 5 })] });
    expect([await judged(gateway, limited), await judged(other, limited)]).toEqual(['passed', 'passed']);
    gateway.count(limited, priced, tokens(5));
    await expect.poll(() => judged(other, limited)).toBe('POLICY_VIOLATION');
    await Promise.all([gateway.close(), other.close()]);
  });

  test('is sent again for a limit that was idle, so that it is not judged by old sums', async () => {
    let skippedMs = 0;
    const [idle, other] = [open({ now: () => skippedMs }), open()];
    const limited = model({ policies: [policy({ total: 5 })] });
    expect([await judged(idle, limited), await judged(other, limited)]).toEqual(['passed', 'passed']);
    other.count(limited, priced, tokens(5));
    await other.flush();
    skippedMs += 1_000;
    expect(await judged(idle, limited)).toBe('POLICY_VIOLATION');
  });

  test('stores sums beyond 64 bits: a provider that lies fills its own window, and stops no other', async () => {
    const [lied, honest] = [model({ policies: [policy({ total: 5 })] }), model({ policies: [policy({ total: 5 })] })];
    const gateway = open();
    for (const each of [lied, honest]) await judged(gateway, each);
    for (let times = 0; times < 2_000; times += 1)
      gateway.count(lied, priced, tokens(Number.POSITIVE_INFINITY, Number.NaN, -1));
    gateway.count(honest, priced, tokens(3));
    await gateway.flush();
    const [{ uid: first } = policy()] = lied.policies;
    const [{ uid: second } = policy()] = honest.policies;
    expect(await stored(first)).toMatchObject({
      sent: String(BigInt(Number.MAX_SAFE_INTEGER) * 2_000n),
      received: '0',
    });
    expect(await stored(second)).toMatchObject({ sent: '3' });
  });
});

describe('money', () => {
  test('is counted to 10⁻⁹ USD by all gateways together, for each budget of the model', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = seededRandom(seed);
    const gateways = [open(), open()];
    const [account, workspace] = [budget(10n ** 6n * usd), budget(10n ** 6n * usd)];
    const models = [model({ budgets: [account] }), model({ budgets: [account, workspace] })];
    const spent = [0n, 0n];
    for (const gateway of gateways) for (const each of models) expect(await judged(gateway, each)).toBe('passed');
    for (let times = 0; times < 500; times += 1) {
      const [sent, received] = [Math.floor(random() * 5_000), Math.floor(random() * 5_000)];
      const cached = Math.floor(random() * sent);
      const which = times % 2;
      gateways[Math.floor(random() * 2)]?.count(models[which] ?? model(), priced, { sent, cached, received });
      // 0.75, 0.1 and 3.000001 USD for 10⁶ tokens are 750, 100 and 3000.001 · 10⁻⁹ USD for one.
      const cost = BigInt(sent - cached) * 750_000n + BigInt(cached) * 100_000n + BigInt(received) * 3_000_001n;
      spent[which] = (spent[which] ?? 0n) + (cost + 999n) / 1_000n;
      if (random() < 0.05) await exchange(...gateways);
    }
    await exchange(...gateways);
    const [own = 0n, both = 0n] = spent;
    expect((await stored(account.id)).nanoUsd, `seed ${seed}`).toBe(String(own + both));
    expect((await stored(workspace.id)).nanoUsd, `seed ${seed}`).toBe(String(both));
    // The next request is refused at exactly the amount of a budget.
    const at = (nanoUsd: bigint) => model({ budgets: [{ ...account, nanoUsd }] });
    for (const gateway of gateways) {
      expect(await judged(gateway, at(own + both + 1n))).toBe('passed');
      expect(await judged(gateway, at(own + both))).toBe('USAGE_LIMIT_EXCEEDED');
    }
  });

  test('of a model without a price is refused under a budget, and costs nothing without one', async () => {
    const gateway = open();
    const unknown = { provider: 'openai', model: 'unknown' };
    expect(await judged(gateway, model({ budgets: [budget(usd)] }), unknown)).toBe('USAGE_LIMIT_EXCEEDED');
    expect(await judged(gateway, model({ policies: [policy({ total: 1 })] }), unknown)).toBe('passed');
  });

  test('is counted for the calendar month, and stays readable for days after it', async () => {
    const gateway = open();
    const of = budget(usd);
    const limited = model({ budgets: [of] });
    await judged(gateway, limited);
    gateway.count(limited, priced, tokens(1));
    await gateway.flush();
    const { rows } = await sql<{ isMonth: boolean; days: number }>`
      select window_start = date_trunc('month', now(), 'UTC') as "isMonth",
        extract(days from expires_at - (window_start + interval '1 month'))::int as days
      from limit_windows where subject = ${of.id}`.execute(database);
    expect(rows).toEqual([{ isMonth: true, days: 7 }]);
  });
});

describe('the clock of windows', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is that of PostgreSQL: a process with a wrong clock opens no window early, and counts in the same one', async () => {
    const limited = model({ policies: [policy({ total: 5 })] });
    const [{ uid } = policy()] = limited.policies;
    const honest = open();
    await judged(honest, limited);
    honest.count(limited, priced, tokens(5));
    await honest.flush();
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2150-06-01T00:00:00Z') });
    const wrong = open();
    expect(await judged(wrong, limited)).toBe('POLICY_VIOLATION');
    wrong.count(limited, priced, tokens(1));
    await wrong.flush();
    const start = windowAt(Date.parse('2026-01-01T00:00:00Z'), policy()).startMs;
    expect(await stored(uid)).toMatchObject({ sent: '6', rows: 2, starts: [new Date(start)] });
  });

  test('turns to the next window with PostgreSQL, and what was counted before stays in its own', async () => {
    await using own = await withOwnTime('2026-11-30T23:59:50Z');
    const monthly = policy({ step: 1, total: 5 });
    const limited = model({ policies: [monthly], budgets: [budget(4_000n)] });
    const [gateway, other] = [
      open({ database: own.database, now: still }),
      open({ database: own.database, now: still }),
    ];
    await judged(gateway, limited);
    gateway.count(limited, priced, tokens(5));
    expect(await judged(gateway, limited)).toBe('POLICY_VIOLATION');
    await own.setTime('2026-12-01T00:00:00Z');
    await gateway.flush();
    // Both are counted in December, and the tokens of November are still written.
    expect([await judged(gateway, limited), await judged(other, limited)]).toEqual(['passed', 'passed']);
    gateway.count(limited, priced, tokens(2));
    await exchange(gateway, other);
    const { starts, rows, sent } = await stored(monthly.uid, own.database);
    expect([rows, sent, starts.map((start) => start.toISOString())]).toEqual([
      2,
      '7',
      ['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
    ]);
  });

  test('turns, and a window that another gateway has filled meanwhile is read before a request is judged', async () => {
    await using own = await withOwnTime('2026-11-30T23:59:50Z');
    const limited = model({ policies: [policy({ step: 1, total: 5 })] });
    const [late, early] = [open({ database: own.database, now: still }), open({ database: own.database, now: still })];
    expect(await judged(late, limited)).toBe('passed');
    await own.setTime('2026-12-01T00:00:05Z');
    expect(await judged(early, limited)).toBe('passed');
    early.count(limited, priced, tokens(5));
    await early.flush();
    // It reads the sums of November, and learns that it is December.
    await late.flush();
    expect(await judged(late, limited)).toBe('POLICY_VIOLATION');
  });

  test('may go back, as after a failover, and nothing that was written is lost or counted twice', async () => {
    await using own = await withOwnTime('2026-11-30T23:59:50Z');
    let skippedMs = 0;
    const monthly = policy({ step: 1, total: 100 });
    const limited = model({ policies: [monthly] });
    const gateway = open({ database: own.database, now: () => skippedMs });
    for (const [time, sent] of [
      ['2026-11-30T23:59:51Z', 1],
      ['2026-12-01T00:00:05Z', 10],
      ['2026-11-30T23:59:52Z', 100],
      ['2026-12-01T00:00:06Z', 1_000],
    ] as const) {
      await own.setTime(time);
      // The gateway has had no request for long enough to forget.
      skippedMs += 20_000;
      await judged(gateway, limited);
      await gateway.flush();
      gateway.count(limited, priced, tokens(sent));
      await gateway.flush();
    }
    const { rows } = await sql<{ month: string; sent: string }>`
      select to_char(window_start, 'MM') as month, sum(sent)::text as sent from limit_windows group by 1 order by 1`.execute(
      own.database,
    );
    expect(rows).toEqual([
      { month: '11', sent: '101' },
      { month: '12', sent: '1010' },
    ]);
  });
});

describe('while PostgreSQL is away', () => {
  test('token policies are judged by what is known for a minute, then requests are refused until it is back', async () => {
    await using line = await openDatabaseLine(home.url);
    let skippedMs = 0;
    const gateway = open({ database: line.database, now: () => skippedMs });
    const limited = model({ policies: [policy({ total: 10 })] });
    const unread = model({ policies: [policy({ total: 10 })] });
    expect(await judged(gateway, limited)).toBe('passed');
    line.become('cut');
    gateway.count(limited, priced, tokens(9));
    await gateway.flush();
    expect([await judged(gateway, limited), await judged(gateway, unread)]).toEqual(['passed', 'PLATFORM_UNAVAILABLE']);
    gateway.count(limited, priced, tokens(1));
    expect(await judged(gateway, limited)).toBe('POLICY_VIOLATION');
    skippedMs += 60_000;
    expect(await judged(gateway, limited)).toBe('PLATFORM_UNAVAILABLE');
    line.become('open');
    await gateway.flush();
    expect([await judged(gateway, limited), await judged(gateway, unread)]).toEqual(['POLICY_VIOLATION', 'passed']);
    expect(await stored(limited.policies[0]?.uid ?? '')).toMatchObject({ sent: '10', rows: 1 });
    await gateway.close();
  });

  test('a window that opens meanwhile is known to begin empty, until the minute is over', async () => {
    await using own = await withOwnTime('2026-11-30T23:59:50Z');
    await using line = await openDatabaseLine(own.url);
    let skippedMs = 0;
    const gateway = open({ database: line.database, now: () => skippedMs });
    const limited = model({ policies: [policy({ total: 10, step: 1 })] });
    expect(await judged(gateway, limited)).toBe('passed');
    gateway.count(limited, priced, tokens(10));
    line.become('cut');
    await gateway.flush();
    expect(await judged(gateway, limited)).toBe('POLICY_VIOLATION');
    skippedMs += 30_000;
    await gateway.flush();
    expect(await judged(gateway, limited)).toBe('passed');
    skippedMs += 30_000;
    await gateway.flush();
    expect(await judged(gateway, limited)).toBe('PLATFORM_UNAVAILABLE');
  });

  test.each(['cut', 'silent'] as const)('budgets refuse as soon as it is known, with its line %s', async (state) => {
    await using line = await openDatabaseLine(home.url);
    const gateway = open({ database: line.database, now: still });
    const of = budget(usd);
    const limited = model({ budgets: [of] });
    expect(await judged(gateway, limited)).toBe('passed');
    line.become(state);
    gateway.count(limited, priced, tokens(1_000));
    await gateway.flush();
    // Without waiting.
    expect(() => gateway.check(limited, priced)).toThrow(GatewayError);
    expect(await judged(gateway, limited)).toBe('PLATFORM_UNAVAILABLE');
    // A model without limits needs no PostgreSQL.
    expect(await judged(gateway, model())).toBe('passed');
    line.become('open');
    await gateway.flush();
    expect(await judged(gateway, limited)).toBe('passed');
    expect(await stored(of.id)).toMatchObject({ nanoUsd: '750000', rows: 1 });
    await gateway.close();
  });

  test('a gateway that has never reached it refuses models with limits, and serves them when it is there', async () => {
    await using line = await openDatabaseLine(home.url);
    line.become('cut');
    const gateway = open({ database: line.database });
    const limited = model({ policies: [policy({ total: 10 })] });
    for (let times = 0; times < 2; times += 1) expect(await judged(gateway, limited)).toBe('PLATFORM_UNAVAILABLE');
    line.become('open');
    await gateway.flush();
    expect(await judged(gateway, limited)).toBe('passed');
  });
});
