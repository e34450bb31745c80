// Attack with rows stored long ago. They are inserted directly, because the account's limit would refuse them today.
import { seedDrives, withoutSearchIndexes } from '../../support/seed-drives.ts';
import { type Attack, limitsOfRequests } from '../attack.ts';
import { startLoad } from '../start-load.ts';
import type { TwoAccounts } from '../two-accounts.ts';

async function fill({ fleet, greedy }: TwoAccounts, workspace: string, count: number): Promise<void> {
  const made = await greedy.client.post('/workspaces', { name: workspace });
  if (made.status !== 200) throw new Error(`no workspace: ${made.text}`);
  const { id: workspaceId } = await fleet.database
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', workspace)
    .executeTakeFirstOrThrow();
  const { url } = fleet.postgres;
  await withoutSearchIndexes(url, () =>
    seedDrives(url, { workspaceId, kind: 'drive', count, createdBy: greedy.userId }),
  );
}

const workspace = 'greedy-store';

/** Listings that must examine every row. */
export const listingsOfStored = (count: number): Attack => ({
  name: `listings of ${count} stored resources`,
  prepare: (accounts) => fill(accounts, workspace, count),
  async begin(accounts) {
    const load = startLoad(
      { ...accounts, greedy: { ...accounts.greedy, caller: { ...accounts.greedy.caller, workspace } } },
      { atATime: 20, requests: [{ method: 'GET', path: '/drives?status=FAILED' }] },
    );
    return {
      pids: [load.pid],
      async end() {
        const { statuses, refusals } = await load.end();
        return { refusals: Object.values(refusals), expected: [], possible: limitsOfRequests, detail: statuses };
      },
    };
  },
});

/** Deletes the workspace of the listings in one request; the removal handler then deletes its rows in batches. */
export const deletionOfStored = (count: number): Attack => ({
  name: `deletion of ${count} stored resources`,
  async begin({ fleet, greedy }) {
    const startedAt = performance.now();
    let tookMs = 0;
    const deleting = greedy.client.delete(`/workspaces/${workspace}`).then((answer) => {
      tookMs = Math.round(performance.now() - startedAt);
      return answer;
    });
    deleting.catch(() => {});
    return {
      pids: [],
      async end() {
        const { status, text } = await deleting;
        const { rows } = await fleet.database
          .selectFrom('outbox')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .execute()
          .then((found) => ({ rows: found }));
        return {
          refusals: status === 200 ? [] : [text],
          expected: [],
          possible: limitsOfRequests,
          detail: { status, tookMs, messagesLeft: Number(rows[0]?.count) },
        };
      },
    };
  },
});
