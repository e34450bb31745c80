// The SQL conditions give the same result as these functions, for any row at any time.
import { durationSeconds } from '@berth/contract';
import { connect, type Database } from '@berth/database';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../engines/test-database.ts';
import { conditionsAt } from './terminated.ts';

let home: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
beforeAll(async () => {
  home = await createTestDatabase();
  database = connect({ url: home.url, maxConnections: 2 });
});
afterAll(async () => {
  await database.destroy();
  await home.drop();
});

interface Row {
  readonly terminatedAt: number | null;
  readonly expiresAt: number | null;
  readonly retention: string | null;
}

const maxSeconds = 30 * 86_400;
const isLive = ({ terminatedAt, expiresAt }: Row, now: number): boolean =>
  terminatedAt === null && (expiresAt === null || expiresAt > now);
function stillShown({ terminatedAt, expiresAt, retention }: Row, now: number): boolean {
  const over = terminatedAt ?? expiresAt;
  const seconds = Math.min(maxSeconds, durationSeconds(retention ?? '5m') ?? 0);
  return over !== null && over + seconds * 1_000 > now;
}
const statusOf = (row: Row, now: number): string =>
  row.terminatedAt === null && !isLive(row, now) ? 'TERMINATED' : 'DEPLOYED';

const start = Date.UTC(2026, 0, 1);
const time = fc.integer({ min: 0, max: 2_000 }).map((seconds) => start + seconds * 1_000);
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const retention = fc
  .tuple(fc.integer({ min: 1, max: 999 }), fc.constantFrom('s', 'm', 'h', 'd', 'w'))
  .map(([count, unit]) => `${count}${unit}`);
const rows = fc.array(fc.record({ terminatedAt: maybe(time), expiresAt: maybe(time), retention: maybe(retention) }), {
  minLength: 1,
  maxLength: 40,
});

test('the SQL conditions for live, shown and status agree with their definition for every row at every time', async () => {
  await fc.assert(
    fc.asyncProperty(rows, time, async (some, now) => {
      const { isLive: live, liveOrShown, shownStatus } = conditionsAt(sql<Date>`${new Date(now)}::timestamptz`);
      const given = some.map(({ terminatedAt, expiresAt, retention: kept }, place) => ({
        place,
        terminated_at: terminatedAt === null ? null : new Date(terminatedAt),
        expires_at: expiresAt === null ? null : new Date(expiresAt),
        spec: kept === null ? {} : { lifecycle: { terminatedRetention: kept } },
        status: 'DEPLOYED',
      }));
      const { rows: found } = await sql<{ live: boolean; shown: boolean; status: string }>`
        select ${live} as live, coalesce(${liveOrShown}, false) as shown, ${shownStatus} as status
        from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
          as given(place bigint, terminated_at timestamptz, expires_at timestamptz, spec jsonb, status text)
        order by place`.execute(database);
      expect(found).toEqual(
        some.map((row) => ({
          live: isLive(row, now),
          shown: isLive(row, now) || stillShown(row, now),
          status: statusOf(row, now),
        })),
      );
    }),
    { numRuns: 60 },
  );
});
