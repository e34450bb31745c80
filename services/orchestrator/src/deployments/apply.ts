// Writes the planned actions, inside the transaction that holds the resource's row. Locks runners before instances and
// counters last, like every writer.
import type { DatabaseTransaction } from '@berth/database';
import type { Dependencies } from '../run/dependencies.ts';
import { only } from '../run/pick-actions.ts';
import { type Retired, retireInstances } from '../run/retire-instances.ts';
import { writeEvents } from '../run/write-events.ts';
import type { Loaded } from './load.ts';
import type { Action, SaidEvent } from './observed.ts';
import { removeResource } from './remove-resource.ts';
import { type Started, startInstances } from './start-instances.ts';

export interface Applied {
  readonly started: readonly (Started & { readonly revision: string })[];
  readonly retired: readonly Retired[];
  /** Something was written, so that requests may have to be routed elsewhere. */
  readonly isChanged: boolean;
  /** At least one wanted instance was not placed. */
  readonly isWaiting: boolean;
  /** Times at which the next decision is due without a message. */
  readonly lookAgainAt: readonly number[];
}

export interface Decided {
  readonly applied: Applied;
  /** Time of the database's clock. */
  readonly now: number;
}

export async function apply(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  loaded: Loaded,
  actions: readonly Action[],
): Promise<Applied> {
  const started: (Started & { revision: string })[] = [];
  const waits: { message: string; revision: string }[] = [];
  let hasMore = false;
  for (const { revision, count } of only(actions, 'start')) {
    const result = await startInstances(tx, dependencies, loaded, revision, count);
    started.push(...result.started.map((each) => ({ ...each, revision })));
    hasMore ||= result.hasMore;
    if (result.waiting !== undefined) waits.push({ message: result.waiting, revision });
  }
  const retired: Retired[] = [];
  for (const { instances, desired } of only(actions, 'retire'))
    retired.push(...(await retireInstances(tx, instances, desired)));
  for (const { revision, status } of only(actions, 'mark')) await markRevision(tx, loaded, revision, status);
  await tell(tx, loaded, actions, waits[0]);
  if (only(actions, 'remove').length > 0) await removeResource(tx, loaded);
  const due = only(actions, 'look-again').map(({ at }) => at);
  const lookAgainAt = hasMore ? [loaded.observed.now, ...due] : due;
  const isChanged = actions.some((action) => action.do !== 'look-again');
  return { started, retired, isChanged, isWaiting: waits.length > 0, lookAgainAt };
}

async function markRevision(tx: DatabaseTransaction, { workload }: Loaded, id: string, status: string): Promise<void> {
  await tx
    .updateTable('revisions')
    .set({ status })
    .where('resource_uid', '=', workload.uid)
    .where('id', '=', id)
    .execute();
}

/** Writes the events, the status that follows from them, and the memory of the decision. */
async function tell(
  tx: DatabaseTransaction,
  { workload: { uid }, state, observed }: Loaded,
  actions: readonly Action[],
  wait: { readonly message: string; readonly revision: string } | undefined,
): Promise<void> {
  const said = only(actions, 'say').map(({ event }) => event);
  const status = said.at(-1)?.status ?? observed.status;
  const note = wait === undefined ? only(actions, 'note')[0]?.event : waitEvent(status, wait);
  const newest = said.at(-1)?.message ?? observed.newestEvent?.message;
  const events = note === undefined || note.message === newest ? said : [...said, note];
  await writeEvents(tx, uid, observed.status, events);
  const memory = only(actions, 'remember')[0]?.memory;
  if (memory === undefined && status === observed.status) return;
  await tx
    .updateTable('resources')
    .set({ status, state: JSON.stringify({ ...state, ...memory }) })
    .where('uid', '=', uid)
    .execute();
}

const waitEvent = (status: string, wait: { readonly message: string; readonly revision: string }): SaidEvent => ({
  type: status === 'DEPLOYING' ? 'deployment' : 'infrastructure',
  status,
  ...wait,
});
