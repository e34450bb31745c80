// What the ledger must answer, computed in memory with whole numbers, by the rules of docs/decisions/018-usage.md.
import { billingDimensions, type MetricsResolution } from '@berth/contract';
import { type LedgerRow, type MetricsQuery, type PriceStep, startOfHour } from '@berth/usage';

interface HourOfResource {
  readonly row: LedgerRow;
  readonly hourMs: number;
  readonly micro: bigint;
  readonly pico: bigint;
}

const roundedQuotient = (number: bigint, divisor: bigint): bigint => (number * 2n + divisor) / (divisor * 2n);

const groupsOf = <T>(items: readonly T[], keyOf: (item: T) => readonly unknown[]): T[][] => [
  ...Map.groupBy(items, (item) => JSON.stringify(keyOf(item))).values(),
];

/** Of several states of a row, the longest. */
const longest = (rows: readonly LedgerRow[]): LedgerRow[] =>
  groupsOf(rows, (row) => [
    row.accountId,
    startOfHour(row.fromMs),
    row.dimension,
    row.source,
    row.interval,
    row.part,
  ]).map((states) => states.reduce((one, other) => (other.toMs > one.toMs ? other : one)));

function microOf(rows: readonly LedgerRow[], { fromMs, toMs }: { fromMs: number; toMs: number }): bigint {
  const unit = billingDimensions.find(({ name }) => name === rows[0]?.dimension)?.unit;
  const rated = rows.reduce((sum, row) => {
    const ms = Math.min(row.toMs, toMs) - Math.max(row.fromMs, fromMs);
    return ms > 0 ? sum + BigInt(row.rate) * BigInt(ms) : sum;
  }, 0n);
  const counted = rows.filter((row) => row.fromMs >= fromMs && row.fromMs < toMs);
  if (unit === 'count') return counted.reduce((sum, { amount }) => sum + BigInt(amount) * 1_000_000n, 0n);
  return unit === 'gbs' ? roundedQuotient(rated * 1_000n, 2n ** 20n) : roundedQuotient(rated * 1_000_000n, 3_600_000n);
}

function attoUsd(prices: readonly PriceStep[], dimension: string, atMs: number): bigint {
  const steps = prices.filter((step) => step.dimension === dimension && step.fromMs <= atMs);
  return steps.toSorted((left, right) => left.fromMs - right.fromMs).at(-1)?.attoUsd ?? 0n;
}

/** Usage and cost of each hour, resource and dimension inside the period. Hours without usage are left out. */
export function referenceHours(
  rows: readonly LedgerRow[],
  period: { readonly fromMs: number; readonly toMs: number },
  prices: readonly PriceStep[],
): HourOfResource[] {
  return groupsOf(longest(rows), ({ fromMs, workspaceId, resourceType, resourceName, resourceUid, dimension }) => [
    ...[startOfHour(fromMs), workspaceId, resourceType, resourceName, resourceUid, dimension],
  ]).flatMap((rowsOfHour) => {
    const [row] = rowsOfHour as [LedgerRow];
    const micro = microOf(rowsOfHour, period);
    const startMs = startOfHour(row.fromMs);
    const pico = roundedQuotient(micro * attoUsd(prices, row.dimension, startMs), 10n ** 12n);
    return micro > 0n ? [{ row, hourMs: startMs, micro, pico }] : [];
  });
}

const bucketStarts: Readonly<Record<MetricsResolution, (at: Date) => number>> = {
  hourly: (at) => at.getTime(),
  daily: (at) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()),
  weekly: (at) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() - ((at.getUTCDay() + 6) % 7)),
  monthly: (at) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth()),
};

const sums = (hours: readonly HourOfResource[]) => ({
  micro: hours.reduce((sum, { micro }) => sum + micro, 0n),
  pico: hours.reduce((sum, { pico }) => sum + pico, 0n),
});

const compareKeys = (left: readonly string[], right: readonly string[]): number => {
  const at = left.findIndex((value, index) => value !== right[index]);
  return at < 0 ? 0 : Buffer.compare(Buffer.from(left[at] ?? ''), Buffer.from(right[at] ?? ''));
};

type Placed = { readonly pico: bigint; readonly key: readonly string[] };
const compareGroups = (left: Placed, right: Placed): number =>
  left.pico === right.pico ? compareKeys(left.key, right.key) : left.pico > right.pico ? -1 : 1;

/** Total and all groups of a query, in order. */
export function referenceAnswer(
  rows: readonly LedgerRow[],
  query: Pick<MetricsQuery, 'fromMs' | 'toMs' | 'groupBy' | 'resolution' | 'prices'>,
) {
  const { groupBy, resolution, fromMs } = query;
  const byName = groupBy.includes('resource_name') || groupBy.includes('resource_uuid');
  const fieldsOf = ({ workspace, resourceType, resourceName, resourceUid, dimension }: LedgerRow) => ({
    workspace: byName || groupBy.includes('workspace') ? workspace : undefined,
    resourceType:
      byName || groupBy.includes('resource_type') || groupBy.includes('billing_dimension') ? resourceType : undefined,
    resourceName: byName ? resourceName : undefined,
    resourceUuid: groupBy.includes('resource_uuid') ? resourceUid : undefined,
    billingDimension: groupBy.includes('billing_dimension') ? dimension : undefined,
  });
  const keyOf = (row: LedgerRow): string[] => {
    const { workspace, ...fields } = fieldsOf(row);
    const ids = workspace === undefined ? [] : [row.workspaceId];
    return [...ids, ...Object.values(fields).filter((value) => value !== undefined)];
  };
  const hours = referenceHours(rows, query, query.prices);
  const nothing = { ...fieldsOf({} as LedgerRow), key: [], ...sums([]), buckets: [] };
  const groups = groupsOf(hours, ({ row }) => keyOf(row)).map((inGroup) => {
    const [{ row }] = inGroup as [HourOfResource];
    const buckets = groupsOf(inGroup, (hour) => [bucketStarts[resolution](new Date(hour.hourMs))]).map((inBucket) => ({
      startMs: Math.max(fromMs, bucketStarts[resolution](new Date(inBucket[0]?.hourMs ?? 0))),
      ...sums(inBucket),
    }));
    return {
      ...fieldsOf(row),
      key: keyOf(row),
      ...sums(inGroup),
      buckets: buckets.toSorted((left, right) => left.startMs - right.startMs),
    };
  });
  return {
    total: sums(hours),
    // Without dimensions there is one entry, also where nothing was used.
    groups: groups.length === 0 && groupBy.length === 0 ? [nothing] : groups.toSorted(compareGroups),
  };
}

export const hoursOf = (rows: readonly LedgerRow[]): number[] => [
  ...new Set(rows.map(({ fromMs }) => startOfHour(fromMs))),
];
