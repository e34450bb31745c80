// Statements that find rows of the ledger that cannot be right by themselves. Each returns the account and words for a person.
import { billingDimensions, type UsageUnit } from '@berth/contract';

export interface RowCheck {
  readonly name: string;
  /** Selects `account`, the begin of the hour in `seconds`, and `detail` of each fault, within the hours of the parameters. */
  readonly sql: string;
}

const inWindow = `hour >= {fromHour:DateTime('UTC')} AND hour < {toHour:DateTime('UTC')}`;
const found = (detail: string, from: string, where: string): string =>
  `SELECT toString(account_id) AS account, toUnixTimestamp(hour) AS seconds, ${detail} AS detail FROM ${from} WHERE ${inWindow} AND (${where})`;

const row = `concat('interval ', toString(interval), ' of ', toString(source))`;
const startMs = 'toUnixTimestamp64Milli(`from`)';
const endMs = 'toUnixTimestamp64Milli(`to`)';

const named = (unit: UsageUnit): string =>
  `dimension IN (${billingDimensions
    .filter((each) => each.unit === unit)
    .map(({ name }) => `'${name}'`)
    .join(', ')})`;

const known = billingDimensions.map(({ name, resourceType }) => `('${name}', '${resourceType}')`).join(', ');
/** More memory than any machine has. */
const maxKib = 2 ** 40;

export const rowChecks: readonly RowCheck[] = [
  {
    name: 'a row ends before it begins, or lies outside of its hour',
    sql: found(
      row,
      'usage_intervals FINAL',
      `${endMs} < ${startMs} OR ${startMs} < toInt64(toUnixTimestamp(hour)) * 1000
        OR ${endMs} > (toInt64(toUnixTimestamp(hour)) + 3600) * 1000`,
    ),
  },
  {
    name: 'a row would not replace its earlier state',
    sql: found(row, 'usage_intervals FINAL', `version != ${endMs}`),
  },
  {
    name: 'the same time is billed twice',
    sql: `SELECT toString(account_id) AS account, toUnixTimestamp(hour) AS seconds, ${row} AS detail FROM (
        SELECT *, max(${endMs}) OVER (PARTITION BY source, dimension ORDER BY \`from\`, \`to\`
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS untilMs
        FROM usage_intervals FINAL WHERE ${inWindow} AND rate > 0
      ) WHERE untilMs > ${startMs}`,
  },
  {
    name: 'one source is billed to several owners',
    sql: `SELECT toString(any(account_id)) AS account, toUnixTimestamp(min(hour)) AS seconds, toString(source) AS detail
      FROM usage_intervals FINAL WHERE ${inWindow}
      GROUP BY source HAVING uniqExact(account_id, workspace_id, resource_uid) > 1`,
  },
  {
    name: 'a row has a dimension that its type of resource does not have',
    sql: found(
      `concat(dimension, ' of ', resource_type)`,
      'usage_intervals FINAL',
      `(dimension, resource_type) NOT IN (${known})`,
    ),
  },
  {
    name: 'a row has a rate or an amount that its unit does not have',
    sql: found(
      row,
      'usage_intervals FINAL',
      `(${named('gbs')} AND (rate = 0 OR rate > ${maxKib} OR amount != 0))
        OR (${named('hours')} AND (rate != 1 OR amount != 0))
        OR (${named('count')} AND (rate != 0 OR amount = 0))`,
    ),
  },
  {
    name: 'a row lies in the future',
    sql: found(row, 'usage_intervals FINAL', `${endMs} > {nowMs:Int64} + 60000`),
  },
  {
    name: 'a closed hour has usage or cost below zero',
    sql: found('resource_name', 'usage_hours FINAL', 'micro < 0 OR pico < 0'),
  },
];
