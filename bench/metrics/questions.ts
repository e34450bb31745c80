import { yearEndMs, yearStartMs } from './seed-hours.ts';

export interface Question {
  readonly name: string;
  readonly fromMs: number;
  readonly resolution: 'hourly' | 'daily' | 'monthly';
  readonly groupBy: readonly ('workspace' | 'resource_name' | 'resource_uuid' | 'billing_dimension')[];
  /** The same sums by the shortest statement, without groups, pages and total. */
  readonly plain: string;
}

const dayMs = 86_400_000;

const plainStatement = (columns: string, bucket: string): string => `
  SELECT ${columns}, ${bucket} AS bucket, any(workspace) AS label, sum(micro) AS micro, sum(pico) AS pico FROM plain_hours
  WHERE account_id = {accountId:UUID} AND hour >= {from:DateTime('UTC')} AND hour < {to:DateTime('UTC')}
  GROUP BY ${columns}, bucket ORDER BY pico DESC LIMIT 1000`;

export const questions: readonly Question[] = [
  {
    name: 'a year, monthly by workspace',
    fromMs: yearStartMs,
    resolution: 'monthly',
    groupBy: ['workspace'],
    plain: plainStatement('workspace_id', 'toStartOfMonth(hour)'),
  },
  {
    name: '90 days, daily by name',
    fromMs: yearEndMs - 90 * dayMs,
    resolution: 'daily',
    groupBy: ['resource_name'],
    plain: plainStatement('workspace_id, resource_type, resource_name', 'toStartOfDay(hour)'),
  },
  {
    name: '7 days, hourly by three dimensions',
    fromMs: yearEndMs - 7 * dayMs,
    resolution: 'hourly',
    groupBy: ['resource_name', 'resource_uuid', 'billing_dimension'],
    plain: plainStatement('workspace_id, resource_type, resource_name, resource_uid, dimension', 'hour'),
  },
];
