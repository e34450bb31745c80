// The current month so far, and what the whole of it is expected to cost.
import type { getCurrentUsage, MetricsGroup, MetricsResolution } from '@berth/contract';
import { type MetricsPage, monthAt, monthPeriod, unitsOf, usdOf } from '@berth/usage';
import type { ReadCall } from '../http/call.ts';
import { forecast } from './forecast.ts';
import { readPage } from './read-page.ts';
import { visibleWorkspaces } from './visible-workspaces.ts';
import type { MetricsWindow } from './window.ts';
import { withMetrics } from './with-metrics.ts';

const recentMs = 7 * 86_400_000;
/** More than there are dimensions. */
const limit = 100;

export async function readCurrentUsage(call: ReadCall<typeof getCurrentUsage>) {
  const { principal, accountId, database, dependencies } = call;
  const workspaceIds = visibleWorkspaces(principal, accountId);
  const nowMs = dependencies.now();
  const month = monthAt(nowMs);
  const period = monthPeriod(month);
  const read = (window: MetricsWindow, resolution: MetricsResolution, groupBy: readonly MetricsGroup[]) =>
    withMetrics(dependencies, (metrics) => {
      const asked = { window, resolution, groupBy, filters: {}, starts: [], limit };
      return readPage(database, metrics, asked, { accountId, workspaceIds, untilMs: nowMs, after: undefined });
    });
  const spent = await read(period, 'monthly', ['billing_dimension']);
  const recent = await read({ fromMs: nowMs - recentMs, toMs: nowMs }, 'hourly', []);
  const expected = forecast({
    ...{ nowMs, monthEndMs: period.toMs },
    monthPico: spent.total.pico,
    recentPico: recent.total.pico,
    firstUsageMs: firstUsageMs(recent),
  });
  return {
    month,
    startTime: new Date(period.fromMs).toISOString(),
    endTime: new Date(period.toMs).toISOString(),
    until: new Date(nowMs).toISOString(),
    cost: usdOf(spent.total.pico),
    forecast: usdOf(expected),
    dimensions: spent.groups.map(({ billingDimension, micro, pico }) => ({
      billingDimension,
      cost: usdOf(pico),
      usage: unitsOf(micro),
    })),
  };
}

const firstUsageMs = ({ groups }: MetricsPage): number | undefined => groups[0]?.buckets[0]?.startMs;
