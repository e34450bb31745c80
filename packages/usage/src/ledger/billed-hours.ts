// Usage and cost of hours, computed from intervals in ClickHouse. Closing an hour and reading a window both use this SQL,
// so a dirty hour has the same figures as it will have closed.
import { billingDimensions, type UsageUnit } from '@berth/contract';
import type { PriceStep } from './ledger-row.ts';
import type { Period } from './split-at-hours.ts';

const startMs = 'toUnixTimestamp64Milli(`from`)';
const endMs = 'toUnixTimestamp64Milli(`to`)';

/** Rate × milliseconds inside the period. */
const rated = `sum(toInt256(rate) * greatest(least(${endMs}, {toMs:Int64}) - greatest(${startMs}, {fromMs:Int64}), 0))`;
const events = `sumIf(toInt256(amount), ${startMs} >= {fromMs:Int64} AND ${startMs} < {toMs:Int64})`;

/** Usage in 10⁻⁶ units, rounded once for the hour. */
const microOf: Readonly<Record<UsageUnit, string>> = {
  // KiB × ms: a GB has 2^20 KiB.
  gbs: `intDiv(${rated} * 1000 + 524288, 1048576)`,
  hours: `intDiv(${rated} * 1000000 + 1800000, 3600000)`,
  count: `${events} * 1000000`,
};

const namesOf = (wanted: UsageUnit): string =>
  billingDimensions
    .filter(({ unit }) => unit === wanted)
    .map(({ name }) => `'${name}'`)
    .join(', ');

const exactMicro = `multiIf(dimension IN (${namesOf('gbs')}), ${microOf.gbs},
  dimension IN (${namesOf('hours')}), ${microOf.hours}, ${microOf.count})`;

/** Price of the hour in 10⁻¹⁸ USD: the last step that begins by then, or nothing. Steps come sorted by their begin. */
const price = `arrayLast(
  (attoUsd, name, sinceMs) -> name = dimension AND sinceMs <= toInt64(toUnixTimestamp(hour)) * 1000,
  {prices:Array(Int256)}, {pricedDimensions:Array(String)}, {pricedSinceMs:Array(Int64)})`;

/** A sum beyond Int64 stays at its maximum: an error would keep the hour, and others of the same loop, from being closed. */
const stored = (sum: string): string => `toInt64(least(${sum}, toInt256(9223372036854775807)))`;

/**
 * Columns of `usage_hours`, with the name of the workspace as `label`. The conditions name columns of `usage_intervals`. Usage
 * outside of the period is left out.
 */
export const billedHours = (conditions: string): string => `
  SELECT hour, workspace_id, any(workspace) AS label, resource_type, resource_name, resource_uid, dimension,
    ${stored(exactMicro)} AS micro,
    ${stored(`intDiv(toInt256(micro) * ${price} + 500000000000, 1000000000000)`)} AS pico
  FROM usage_intervals FINAL
  WHERE account_id = {accountId:UUID} AND ${conditions}
  GROUP BY hour, workspace_id, resource_type, resource_name, resource_uid, dimension
  HAVING micro > 0`;

/** Parameters of `billedHours`. */
export function billingParameters({ fromMs, toMs }: Period, prices: readonly PriceStep[]) {
  const steps = prices.toSorted((left, right) => left.fromMs - right.fromMs);
  return {
    fromMs,
    toMs,
    prices: steps.map(({ attoUsd }) => attoUsd),
    pricedDimensions: steps.map(({ dimension }) => dimension),
    pricedSinceMs: steps.map((step) => step.fromMs),
  };
}
