// Lines after a position. A request waits until there is one, so a follower asks three times a minute while nothing is written.
import { pause } from '@berth/concurrency';
import type { FollowedLogs, followLogs } from '@berth/contract';
import type { FollowedLogs as Found } from '@berth/usage';
import type { ReadCall } from '../http/call.ts';
import { chosenLines } from './chosen-lines.ts';
import { readLogCursor, writeLogCursor } from './log-cursor.ts';
import { maxWindowMs } from './log-window.ts';
import { renderLine } from './render-line.ts';
import { withUsage } from './with-usage.ts';

type FollowCall = ReadCall<typeof followLogs>;

const pageLines = 1_000;
const pollMs = 1_000;

type Chosen = NonNullable<Awaited<ReturnType<typeof chosenLines>>>;

/** Nothing is chosen by filters that no line can match: a task of an agent. */
export async function readChosen(call: FollowCall): Promise<Chosen> {
  const nothing = { workspaceId: call.workspace.id, resourceTypes: [] };
  return (await chosenLines(call, call.query)) ?? nothing;
}

export async function answerFollow(call: FollowCall, chosen: Chosen): Promise<FollowedLogs> {
  const { query, dependencies } = call;
  const nowMs = dependencies.now();
  if (query.after !== undefined) return render(await nextLines(call, chosen, readLogCursor(query.after, nowMs)));
  const tail = { ...chosen, limit: query.tail ?? 0, from: new Date(nowMs - maxWindowMs) };
  return render(await withUsage(dependencies, ({ logs }) => logs.tail(tail)));
}

async function nextLines(
  { query: { wait = 20 }, dependencies, accountId, clientGone }: FollowCall,
  chosen: Chosen,
  after: Found['position'],
): Promise<Found> {
  using waiting = dependencies.logWaits.begin(accountId, clientGone());
  const endsAt = performance.now() + wait * 1_000;
  for (let position = after; ; ) {
    const found = await withUsage(dependencies, ({ logs }) => logs.follow({ ...chosen, limit: pageLines }, position));
    if (found.lines.length > 0 || waiting.signal.aborted || performance.now() >= endsAt) return found;
    position = found.position;
    await pause(pollMs, waiting.signal);
  }
}

const render = ({ lines, position }: Found): FollowedLogs => ({
  logs: lines.map((line) => ({ ...renderLine(line), workload: line.workload })),
  after: writeLogCursor(position),
});
