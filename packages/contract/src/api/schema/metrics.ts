// Usage and cost of an account over time. Specification, "Billing metrics"; control-plane sheet 2.18.
import { z } from 'zod';
import { BillingDimensionName, billingDimensions } from '../billing/dimensions.ts';
import { AnswerFormat, queryInteger } from './query.ts';
import { CursorMeta } from './shared.ts';
import { Timestamp } from './text.ts';

export const MetricsGroup = z.enum([
  'workspace',
  'resource_type',
  'resource_name',
  'resource_uuid',
  'billing_dimension',
]);
export type MetricsGroup = z.infer<typeof MetricsGroup>;

export const MetricsResolution = z.enum(['hourly', 'daily', 'weekly', 'monthly']);
export type MetricsResolution = z.infer<typeof MetricsResolution>;

const maxGroups = 3;
const group = MetricsGroup.options.join('|');

/** Groups in the order of `MetricsGroup`, so that the order in the request makes no difference. */
const GroupBy = z
  .string()
  .max(128)
  .regex(
    new RegExp(`^(${group})(, ?(${group})){0,${maxGroups - 1}}$`),
    `1 to ${maxGroups} dimensions, separated by commas: ${MetricsGroup.options.join(', ')}`,
  )
  .transform((text) => text.split(/, ?/))
  .refine((names) => new Set(names).size === names.length, 'each dimension once')
  .transform((names) => MetricsGroup.options.filter((option) => names.includes(option)));

/** `z.iso.datetime` alone also takes times without seconds, which RFC 3339 does not have. */
const WindowEdge = z.iso
  .datetime('a time of RFC 3339 in UTC, as 2026-04-28T12:00:00Z')
  .refine((text) => /T\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text), 'a time with seconds, at most nine decimals, and Z')
  .transform((text) => ({ text, ms: Date.parse(text) }));

const windowQuery = {
  startTime: WindowEdge.describe('Start of the window, RFC 3339 in UTC'),
  endTime: WindowEdge.describe('End of the window, which is not part of it, RFC 3339 in UTC'),
};

const name = z.string().min(1).max(256);
const unsupported = ['label', 'unit'];
const pageParameters = ['limit', 'cursor'] as const;

/** Loose, so that a parameter of other interfaces that this one refuses is not dropped in silence. */
export const AccountMetricsQuery = z
  .looseObject({
    ...windowQuery,
    resolution: MetricsResolution.optional().describe(
      'By default hourly below 7 days, daily below 90 days, weekly below a year, else monthly; these are also the longest windows',
    ),
    groupBy: GroupBy.optional().describe(
      `1 to ${maxGroups} of ${MetricsGroup.options.join(', ')}, separated by commas. One entry in all when left out`,
    ),
    workspace: name.optional().describe('Usage of one workspace, by its name; for account admins'),
    resourceType: z.enum([...new Set(billingDimensions.map(({ resourceType }) => resourceType))]).optional(),
    resourceName: name.optional(),
    resourceUuid: name.optional().describe('UUID of a resource, or id of an instance'),
    billingDimension: BillingDimensionName.optional(),
    format: AnswerFormat.optional().describe(
      'Our own addition. csv: all groups in one answer, one line for each group and bucket; empty buckets are left out',
    ),
    limit: queryInteger({ min: 1, clampTo: 100 }).optional().describe('Groups in the answer; 100 when left out'),
    cursor: z.string().min(1).max(4096).optional(),
  })
  .superRefine((query, context) => {
    for (const parameter of unsupported.filter((one) => one in query))
      context.addIssue({ code: 'custom', path: [parameter], message: 'is not supported; leave it out' });
    for (const parameter of pageParameters.filter((one) => query.format === 'csv' && query[one] !== undefined))
      context.addIssue({
        code: 'custom',
        path: [parameter],
        message: 'belongs to pages, and csv has all groups in one answer; leave it out, or ask for json',
      });
  });
export type AccountMetricsQuery = z.output<typeof AccountMetricsQuery>;

export const MetricsWindowQuery = z.object(windowQuery);

const cost = z.number().describe('USD');
const usage = z.number().optional().describe('In the unit of the dimension; only when grouped by billing_dimension');

const AccountMetricsDataEntry = z
  .object({
    workspace: z.string().optional(),
    resourceType: z.string().optional(),
    resourceName: z.string().optional(),
    resourceUuid: z.string().optional(),
    billingDimension: z.string().optional(),
    summary: z.object({ cost, usage }),
    timeseries: z
      .array(z.object({ timestamp: Timestamp, cost, usage }).meta({ id: 'AccountMetricsPoint' }))
      .describe('One item for each bucket of the window, oldest first; the first one begins with the window'),
  })
  .meta({ id: 'AccountMetricsDataEntry' });

export const AccountMetricsResponse = z
  .object({
    startTime: Timestamp,
    endTime: Timestamp,
    resolution: MetricsResolution,
    summary: z.object({ totalCost: cost, totalUsage: usage }).describe('Sums over all groups; the same on every page'),
    data: z.array(AccountMetricsDataEntry).describe('Highest cost first'),
    meta: CursorMeta,
  })
  .meta({ id: 'AccountMetricsResponse' });

export const MetricsValues = z.object({ values: z.array(z.string()) }).meta({ id: 'MetricsValues' });
