// Rows of accounts that exist in tests only.
import { uuidv7 } from '@berth/database';
import { type LedgerRow, type PriceStep, splitAtHours } from '@berth/usage';
import fc from 'fast-check';

/** An hour of compute of a sandbox with 4 GB, unless changed. */
export function someRow(changes: Partial<LedgerRow> = {}): LedgerRow {
  const fromMs = changes.fromMs ?? Date.UTC(2028, 1, 29, 22);
  return {
    accountId: uuidv7(),
    workspaceId: uuidv7(),
    workspace: 'main',
    resourceType: 'sandbox',
    resourceName: 'box',
    resourceUid: uuidv7(),
    dimension: 'sandbox_compute_runtime_gbs',
    source: uuidv7(),
    interval: 0,
    part: 0,
    fromMs,
    toMs: fromMs + 3_600_000,
    rate: 4 * 2 ** 20,
    amount: 0,
    ...changes,
  };
}

/** The same in every run, so that the seed of fast-check repeats a failure. */
const uuid = (number: number): string => `019a0000-0000-7000-8000-${String(number * 7_919).padStart(12, '0')}`;

const [main, recreated, other] = [
  { workspaceId: uuid(3), workspace: 'main' },
  { workspaceId: uuid(1), workspace: 'main' },
  { workspaceId: uuid(2), workspace: 'other' },
];

let resources = 10;
const resource = (place: typeof main, resourceType: string, resourceName: string) => ({
  ...{ ...place, resourceType, resourceName },
  resourceUid: uuid(resources++),
});

const box = resource(main, 'sandbox', 'box');
const again = resource(main, 'sandbox', 'box');
const metered = [
  { ...box, dimension: 'sandbox_compute_runtime_gbs' },
  { ...box, dimension: 'sandbox_snapshot_storage_gbs' },
  { ...again, dimension: 'sandbox_compute_runtime_gbs' },
  { ...resource(recreated, 'sandbox', 'box'), dimension: 'sandbox_compute_runtime_gbs' },
  { ...resource(main, 'agent', 'box'), dimension: 'agent_async_requests_count' },
  { ...resource(other, 'job', "it's \\ a {name:String}"), dimension: 'job_compute_runtime_gbs' },
  { ...resource(other, 'custom_domain', 'example.com'), dimension: 'custom_domain_active_time_hours' },
] as const;

const sources = [uuid(4), uuid(5), uuid(6)];

/** Around a leap day, the end of a month and a Monday. */
const moments = [
  Date.UTC(2028, 1, 28, 23),
  Date.UTC(2028, 1, 29, 23),
  Date.UTC(2028, 2, 1, 0),
  Date.UTC(2028, 2, 5, 23),
] as const;

const interval = fc.record({
  what: fc.constantFrom(...metered),
  source: fc.constantFrom(...sources),
  startMs: fc
    .tuple(fc.constantFrom(...moments), fc.constantFrom(0, 1, 1_799_999, 3_599_999))
    .map(([at, ms]) => at + ms),
  rate: fc.constantFrom(1, 131_072, 262_144, 8 * 2 ** 20),
  amount: fc.integer({ min: 1, max: 1_000 }),
  /** Lengths at which the interval is sent, in any order. */
  lengthsMs: fc.array(fc.constantFrom(1, 17, 5_000, 1_800_000, 3_599_999, 3_600_000, 3_600_001, 9_000_000), {
    minLength: 1,
    maxLength: 3,
  }),
});

/** States of rows of one account, with duplicates and older states, in any order. */
export const someLedger: fc.Arbitrary<LedgerRow[]> = fc
  .array(interval, { minLength: 1, maxLength: 25 })
  .map((intervals) => {
    const accountId = uuidv7();
    return intervals.flatMap(({ what, source, startMs, rate, amount, lengthsMs }, number) => {
      const place = { ...what, accountId, source, interval: number, part: number % 2 };
      if (what.resourceType === 'agent')
        return lengthsMs.map(() => ({ ...place, fromMs: startMs, toMs: startMs, rate: 0, amount }));
      const ofUnit = what.resourceType === 'custom_domain' ? 1 : rate;
      return lengthsMs.flatMap((lengthMs) =>
        splitAtHours({ fromMs: startMs, toMs: startMs + lengthMs }).map((piece) => ({
          ...{ ...place, ...piece, rate: ofUnit, amount: 0 },
        })),
      );
    });
  })
  .map((rows) => [...rows, ...rows.slice(0, 5)])
  .chain((rows) => fc.shuffledSubarray(rows, { minLength: rows.length }));

/** Prices that change at a full hour inside a day, a week and a month. */
export const somePrices: readonly PriceStep[] = [
  { dimension: 'sandbox_compute_runtime_gbs', fromMs: 0, attoUsd: 11_500_000_000_000n },
  { dimension: 'sandbox_compute_runtime_gbs', fromMs: Date.UTC(2028, 1, 29, 23), attoUsd: 13_333_333_333_333n },
  { dimension: 'sandbox_snapshot_storage_gbs', fromMs: 0, attoUsd: 77_160_493_827n },
  { dimension: 'job_compute_runtime_gbs', fromMs: 0, attoUsd: 6_000_000_000_000n },
  { dimension: 'agent_async_requests_count', fromMs: 0, attoUsd: 200_000_000_000n },
  { dimension: 'agent_async_requests_count', fromMs: Date.UTC(2028, 2, 1), attoUsd: 1n },
  { dimension: 'custom_domain_active_time_hours', fromMs: Date.UTC(2028, 1, 29, 0), attoUsd: 27_777_777_777_777_778n },
];

/** Begin and end of the time that `someLedger` uses. */
export const ledgerPeriod = { fromMs: Date.UTC(2028, 1, 28, 22), toMs: Date.UTC(2028, 2, 6, 3) };
