// Usage and cost of an account. Control-plane sheet 1.1; specification, "Billing metrics".
import { z } from 'zod';
import { accountMember } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { CurrentUsage } from '../schema/current-usage.ts';
import { AccountMetricsQuery, AccountMetricsResponse, MetricsValues, MetricsWindowQuery } from '../schema/metrics.ts';

const metrics = '/accounts/{accountId}/metrics';

export const getAccountMetrics = defineOperation({
  ...at(metrics),
  id: 'getAccountMetrics',
  method: 'GET',
  tag: 'Billing',
  summary: 'Read cost and usage over time',
  // The handler also checks for an account admin where the query names workspaces.
  access: accountMember(),
  query: AccountMetricsQuery,
  answer: AccountMetricsResponse,
  answersCsv: true,
});

export const listMetricsGroups = defineOperation({
  ...at(`${metrics}/enums/group-by`),
  id: 'listMetricsGroups',
  method: 'GET',
  tag: 'Billing',
  summary: 'List the dimensions that metrics can be grouped by',
  access: accountMember(),
  query: z.object({}),
  answer: MetricsValues,
});

export const listMetricsResourceTypes = defineOperation({
  ...at(`${metrics}/enums/resource-types`),
  id: 'listMetricsResourceTypes',
  method: 'GET',
  tag: 'Billing',
  summary: 'List the types of resources with usage in a window',
  access: accountMember(),
  query: MetricsWindowQuery,
  answer: MetricsValues,
});

export const getCurrentUsage = defineOperation({
  ...at('/accounts/{accountId}/usage/current'),
  id: 'getCurrentUsage',
  method: 'GET',
  tag: 'Billing',
  summary: 'Read the cost of the current month so far, and what the whole month is expected to cost',
  access: accountMember(),
  query: z.object({}),
  answer: CurrentUsage,
  isAddition: true,
});
