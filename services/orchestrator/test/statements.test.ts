// Monthly statements from closed hours, with a test clock.
import { createLogger, createMetricsRegistry, type Registry } from '@berth/telemetry';
import { type ClickHouseClient, createClient } from '@clickhouse/client';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readControl } from '../src/statements/closed-hours-control.ts';
import { createStatementFreezer } from '../src/statements/freeze-statements.ts';
import { storeStatement } from '../src/statements/store-statement.ts';
import { compute, MeteredAccounts, type MeteredUse } from './metered-accounts.ts';

let accounts: MeteredAccounts;
let client: ClickHouseClient;
let accountId: string;
beforeAll(async () => {
  accounts = await MeteredAccounts.start();
  client = createClient({ url: accounts.clickhouse.url });
});
afterAll(async () => {
  await client.close();
  await accounts[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await sql`truncate statements, statement_lines, usage_dirty_hours, usage_closed_hours, accounts cascade`.execute(
    accounts.database,
  );
  accountId = await accounts.addAccount();
});

interface Freezer {
  /** Number of statements that a run at this time stores. */
  at(now: string): Promise<number>;
  readonly registry: Registry;
  readonly errors: Record<string, unknown>[];
}

/** Of one process. */
function startFreezer(): Freezer {
  const registry = createMetricsRegistry({ role: 'test' });
  const errors: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void errors.push(JSON.parse(line)) };
  const logger = createLogger({ role: 'test' }, { level: 'error', destination });
  const { database, usage } = accounts;
  const freeze = createStatementFreezer({ database, usage, logger, registry, signal: new AbortController().signal });
  return { at: (now) => freeze(Date.parse(now)), registry, errors };
}

/** Costs 0.5 USD a second. */
const use = (at: string, seconds: number, more: Partial<MeteredUse> = {}): MeteredUse => ({
  ...{ accountId, at: new Date(at), seconds, ...more },
});

async function useAndClose(...uses: readonly MeteredUse[]): Promise<void> {
  await accounts.store(...uses);
  await accounts.closeAll();
}

const statements = async (of = accountId) =>
  (
    await accounts.database.selectFrom('statements').selectAll().where('account_id', '=', of).orderBy('month').execute()
  ).map(({ month, pico }) => `${month} ${pico}`);

/** As `month usage-month workspace dimension micro pico`. */
async function lines(month: string): Promise<string[]> {
  const rows = await accounts.database
    .selectFrom('statement_lines')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('month', '=', month)
    .execute();
  return rows
    .map((row) => `${row.usage_month} ${row.workspace} ${row.billing_dimension} ${row.micro} ${row.pico}`)
    .toSorted();
}

const usd = (amount: number): string => `${amount}000000000000`;
const gbs = (seconds: number): string => `${seconds}000000`;

test('a month is stated three days after its end, once all of its hours are closed, by one of several processes', async () => {
  await useAndClose(
    use('2028-01-31T23:00:00Z', 10),
    use('2028-01-05T08:00:00Z', 4),
    use('2028-01-05T08:00:00Z', 6, { workspace: 'side' }),
    use('2028-01-05T08:00:00Z', 2, { dimension: 'job_compute_runtime_gbs' }),
    use('2028-02-01T00:00:00Z', 100),
  );
  const [one, two] = [startFreezer(), startFreezer()];
  expect(await one.at('2028-02-03T23:59:59.999Z')).toBe(0);
  await accounts.store(use('2028-01-31T23:00:00Z', 20));
  expect(await one.at('2028-02-04T00:00:00Z')).toBe(0);
  await accounts.closeAll();
  // A dirty hour of a later month does not matter.
  await accounts.store(use('2028-02-01T01:00:00Z', 100));
  const stored = await Promise.all([one, two].map((freezer) => freezer.at('2028-02-04T00:00:00Z')));
  expect(stored.toSorted()).toEqual([0, 1]);
  expect(await statements()).toEqual([`2028-01 ${usd(21)}`]);
  expect(await lines('2028-01')).toEqual([
    `2028-01 main ${compute} ${gbs(34)} ${usd(17)}`,
    `2028-01 main job_compute_runtime_gbs ${gbs(2)} ${usd(1)}`,
    `2028-01 side ${compute} ${gbs(6)} ${usd(3)}`,
  ]);
  expect([...one.errors, ...two.errors]).toEqual([]);
});

test('a statement never changes; a late row and a changed price of its month are lines of the next one', async () => {
  const freezer = startFreezer();
  await useAndClose(
    use('2028-01-05T08:00:00Z', 10),
    use('2028-01-05T08:00:00Z', 8, { workspace: 'side' }),
    use('2028-02-05T08:00:00Z', 2),
  );
  expect(await freezer.at('2028-02-10T00:00:00Z')).toBe(1);
  const before = await lines('2028-01');
  const { database } = accounts;
  for (const table of ['statements', 'statement_lines']) {
    const name = sql.table(table);
    await expect(sql`update ${name} set pico = pico + 1`.execute(database)).rejects.toThrow(
      'a statement never changes',
    );
    await expect(sql`delete from ${name}`.execute(database)).rejects.toThrow('a statement never changes');
  }
  // Before the first statement, in a month of its own, and with a lower price for one hour.
  await sql`insert into prices (account_id, billing_dimension, unit, usd_per_unit, valid_from) values
    (${accountId}, ${compute}, 'gbs', 0.25, '2028-01-05T08:00:00Z'),
    (${accountId}, ${compute}, 'gbs', 0.5, '2028-01-05T09:00:00Z')`.execute(database);
  await useAndClose(
    use('2027-12-31T23:00:00Z', 2),
    use('2028-01-05T08:00:00Z', 2, { workspace: 'side' }),
    use('2028-01-06T08:00:00Z', 2, { workspace: 'late' }),
  );
  expect(await freezer.at('2028-02-20T00:00:00Z')).toBe(0);
  expect(await freezer.at('2028-03-04T00:00:00Z')).toBe(1);
  expect(await lines('2028-01')).toEqual(before);
  expect(await lines('2028-02')).toEqual([
    `2027-12 main ${compute} ${gbs(2)} ${usd(1)}`,
    `2028-01 late ${compute} ${gbs(2)} ${usd(1)}`,
    `2028-01 main ${compute} 0 -2500000000000`,
    `2028-01 side ${compute} ${gbs(2)} -1500000000000`,
    `2028-02 main ${compute} ${gbs(2)} ${usd(1)}`,
  ]);
  // A month without usage has an empty statement, and months that were missed follow each other.
  expect(await freezer.at('2028-05-04T00:00:00Z')).toBe(1);
  expect(await freezer.at('2028-05-04T00:01:00Z')).toBe(1);
  expect(await freezer.at('2028-05-04T00:02:00Z')).toBe(0);
  expect(await statements()).toEqual([`2028-01 ${usd(9)}`, '2028-02 -1000000000000', '2028-03 0', '2028-04 0']);
});

test('without its closed hours in ClickHouse a month is not stated until they are back; other accounts are', async () => {
  const freezer = startFreezer();
  const other = await accounts.addAccount();
  await useAndClose(
    use('2028-01-05T08:00:00Z', 10),
    use('2028-01-06T08:00:00Z', 10),
    use('2028-01-06T08:00:00Z', 10, { accountId: other }),
  );
  await client.command({
    query: `ALTER TABLE usage_hours DELETE WHERE account_id = '${accountId}' AND hour = '2028-01-06 08:00:00'
      SETTINGS mutations_sync = 1`,
  });
  expect(await freezer.at('2028-02-10T00:00:00Z')).toBe(1);
  expect([await statements(), await statements(other)]).toEqual([[], [`2028-01 ${usd(5)}`]]);
  expect(freezer.errors).toMatchObject([
    { event: 'usage.statement_refused', accountId, month: '2028-01', differing: ['2028-01'] },
  ]);
  expect(freezer.errors[0]?.msg).toContain('berth-server check-usage');
  expect(await freezer.registry.metrics()).toContain('berth_usage_statements_refused_total{role="test"} 1');
  // The operator closes the hours again.
  await sql`insert into usage_dirty_hours (account_id, hour) values (${accountId}, '2028-01-06T08:00:00Z')`.execute(
    accounts.database,
  );
  await accounts.closeAll();
  expect(await freezer.at('2028-02-10T00:59:59Z')).toBe(0);
  expect(await freezer.at('2028-02-10T01:00:00Z')).toBe(1);
  expect(await statements()).toEqual([`2028-01 ${usd(10)}`]);
});

test('a statement is not stored when its hours change, or another process stores it, while it is made', async () => {
  const { database, usage } = accounts;
  const period = { fromMs: Date.UTC(2027, 0), toMs: Date.UTC(2028, 1) };
  const draft = async () => {
    const control = await readControl(database, { accountId, ...period });
    const sums = await usage.statements.sums({ accountId, ...period });
    return { accountId, month: '2028-01', newest: null, period, control, sums };
  };
  await useAndClose(use('2028-01-05T08:00:00Z', 10));
  const first = await draft();
  await accounts.store(use('2028-01-05T08:00:00Z', 1));
  expect(await storeStatement(database, first)).toEqual({ kind: 'overtaken' });
  await accounts.closeAll();
  expect(await storeStatement(database, first)).toEqual({ kind: 'overtaken' });
  // Of two processes, the slower one began with the same draft.
  const [second, third] = [await draft(), await draft()];
  expect(await storeStatement(database, second)).toEqual({ kind: 'stored', lines: 1 });
  expect(await storeStatement(database, third)).toEqual({ kind: 'overtaken' });
  expect(await statements()).toEqual(['2028-01 5500000000000']);
});

test('all statements together say what all closed hours say, whatever arrives late', async () => {
  const months = ['2028-01', '2028-02', '2028-03'];
  const late = fc.record({
    /** Months that are over when the usage arrives. */
    age: fc.nat({ max: 2 }),
    seconds: fc.integer({ min: 1, max: 60 }),
    workspace: fc.constantFrom('main', 'side'),
    dimension: fc.constantFrom(compute, 'job_compute_runtime_gbs' as const),
  });
  const arrivals = fc.array(late, { minLength: 1, maxLength: 3 });
  const quarter = fc.array(fc.array(arrivals, { minLength: 4, maxLength: 4 }), { minLength: 3, maxLength: 3 });
  const { database } = accounts;
  await fc.assert(
    fc.asyncProperty(quarter, async (perMonth) => {
      const ids = await Promise.all(Array.from({ length: 4 }, () => accounts.addAccount()));
      const freezer = startFreezer();
      for (const [index, perAccount] of perMonth.entries()) {
        const uses = ids.flatMap((id, place) =>
          (perAccount[place] ?? []).map(({ age, seconds, ...rest }) =>
            use(`${months[Math.max(0, index - age)]}-10T08:00:00Z`, seconds, { ...rest, accountId: id }),
          ),
        );
        await useAndClose(...uses);
        await freezer.at(`2028-0${index + 2}-04T00:00:00Z`);
      }
      const { rows } = await sql<{ late: string }>`
        select account_id, sum(micro) as micro, sum(pico) as pico,
          (select sum(pico) from statements where account_id = line.account_id) as stated,
          count(*) filter (where usage_month < month) as late
        from statement_lines as line group by account_id order by account_id`.execute(database);
      const { rows: closed } = await sql`
        select account_id, sum(micro) as micro, sum(pico) as pico, sum(pico) as stated
        from usage_closed_hours group by account_id order by account_id`.execute(database);
      expect(rows).toMatchObject(closed);
      expect(closed).toHaveLength(4);
      expect(rows.some((row) => Number(row.late) > 0)).toBe(true);
    }),
    { numRuns: 1, seed: 7 },
  );
});
