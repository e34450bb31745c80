import {
  getAccountMetrics,
  getCurrentUsage,
  listMetricsGroups,
  listMetricsResourceTypes,
  MetricsGroup,
} from '@berth/contract';
import { type Registration, read } from '../http/call.ts';
import { answerMetrics } from './answer-metrics.ts';
import { readCurrentUsage } from './current-usage.ts';
import { visibleWorkspaces } from './visible-workspaces.ts';
import { pastPart, windowOf } from './window.ts';
import { withMetrics } from './with-metrics.ts';

export const metricHandlers: readonly Registration[] = [
  read(getAccountMetrics, answerMetrics),

  read(getCurrentUsage, readCurrentUsage),

  read(listMetricsGroups, async () => ({ values: MetricsGroup.options })),

  read(listMetricsResourceTypes, async ({ query, principal, accountId, dependencies }) => {
    const workspaceIds = visibleWorkspaces(principal, accountId);
    const past = pastPart(windowOf(query), dependencies.now());
    const types = await withMetrics(dependencies, async (metrics) => {
      if (past === undefined) return [];
      return metrics.resourceTypes({ accountId, ...past, ...(workspaceIds === undefined ? {} : { workspaceIds }) });
    });
    return { values: types.toSorted() };
  }),
];
