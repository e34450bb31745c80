// All groups of a query about usage as one CSV file. Only points with usage have lines.
import type { AccountMetricsQuery } from '@berth/contract';
import { exactDecimal, type MetricsGroupSums, type MetricsPage } from '@berth/usage';
import type { StreamedAnswer } from '../http/call.ts';
import { bucketStart, bucketStarts } from './buckets.ts';
import { csvAnswer, csvLine, csvText } from './csv.ts';
import type { MetricsWalk } from './metrics-cursor.ts';
import { type AskedMetrics, maxPoints } from './read-query.ts';
import { shownFields, showsUsage } from './render-metrics.ts';
import { pastPart } from './window.ts';

type Read = (asked: AskedMetrics, after: MetricsWalk['after'] | undefined) => Promise<MetricsPage>;

/** The first page is read before the head of the answer is sent, so an error of it has its status. */
export async function answerCsv(
  { startTime, endTime }: Pick<AccountMetricsQuery, 'startTime' | 'endTime'>,
  asked: AskedMetrics,
  untilMs: number,
  read: Read,
): Promise<StreamedAnswer> {
  const paged = { ...asked, limit: groupsInPage(asked, untilMs) };
  const first = await read(paged, undefined);
  // A colon is not allowed in names of files everywhere.
  const fileName = `usage-${startTime.text}-${endTime.text}.csv`.replaceAll(':', '');
  return csvAnswer(csvLines(paged, first, read), fileName);
}

const maxGroups = 10_000;

/** Each page adds up all groups again, so pages are as large as memory allows. */
function groupsInPage({ window, resolution }: AskedMetrics, untilMs: number): number {
  const past = pastPart(window, untilMs);
  const points = past === undefined ? 1 : bucketStarts(past, resolution).length;
  return Math.max(1, Math.min(maxGroups, Math.floor(maxPoints / points)));
}

async function* csvLines(asked: AskedMetrics, first: MetricsPage, read: Read): AsyncGenerator<string> {
  const usage = showsUsage(asked) ? ['usage'] : [];
  yield csvLine([...shownFields(asked.groupBy), 'timestamp', 'cost', ...usage]);
  for (let page = first; ; page = await read(asked, page.last)) {
    for (const group of page.groups) yield groupLines(asked, group);
    if (!page.hasMore) return;
  }
}

function groupLines(asked: AskedMetrics, group: MetricsGroupSums): string {
  const { groupBy, resolution, window } = asked;
  const names = shownFields(groupBy).map((field) => csvText(group[field] ?? ''));
  return group.buckets
    .filter(({ micro, pico }) => micro !== 0n || pico !== 0n)
    .map(({ startMs, micro, pico }) => {
      const timestamp = new Date(Math.max(bucketStart(resolution, startMs), window.fromMs)).toISOString();
      const usage = showsUsage(asked) ? [exactDecimal(micro, 6)] : [];
      return csvLine([...names, timestamp, exactDecimal(pico, 12), ...usage]);
    })
    .join('');
}
