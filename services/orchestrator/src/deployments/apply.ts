// Writes the planned actions, inside the transaction that holds the resource's row. Locks runners before instances and
// counters last, like every writer.
import type { DatabaseTransaction } from '@berth/database';
import type { Dependencies } from '../run/dependencies.ts';
import { pickActions } from '../run/pick-actions.ts';
import type { Applied, Started } from '../run/reconciler.ts';
import { type Retired, retireInstances } from '../run/retire-instances.ts';
import type { StatusEvent } from '../run/status-event.ts';
import { writeEvents } from '../run/write-events.ts';
import type { LoadedDeployment } from './load.ts';
import type { DeploymentAction } from './observed.ts';
import { removeResource } from './remove-resource.ts';
import { startInstances } from './start-instances.ts';

export async function applyDeployment(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  loaded: LoadedDeployment,
  actions: readonly DeploymentAction[],
): Promise<Applied> {
  const started: Started[] = [];
  const waits: { message: string; revision: string }[] = [];
  let hasMore = false;
  for (const { revision, count } of pickActions(actions, 'start')) {
    const result = await startInstances(tx, dependencies, loaded, revision, count);
    started.push(...result.started);
    hasMore ||= result.hasMore;
    if (result.waiting !== undefined) waits.push({ message: result.waiting, revision });
  }
  const retired: Retired[] = [];
  for (const { instances, desired } of pickActions(actions, 'retire'))
    retired.push(...(await retireInstances(tx, instances, desired)));
  for (const { revision, status } of pickActions(actions, 'mark-revision'))
    await markRevision(tx, loaded, revision, status);
  await writeStatus(tx, loaded, actions, waits[0]);
  if (pickActions(actions, 'remove').length > 0) await removeResource(tx, loaded);
  const due = pickActions(actions, 'set-timer').map(({ at }) => at);
  const dueAt = hasMore ? [loaded.observed.now, ...due] : due;
  const isChanged = actions.some((action) => action.do !== 'set-timer');
  return { started, retired, isChanged, hasUnplaced: waits.length > 0, dueAt };
}

async function markRevision(
  tx: DatabaseTransaction,
  { workload }: LoadedDeployment,
  id: string,
  status: string,
): Promise<void> {
  await tx
    .updateTable('revisions')
    .set({ status })
    .where('resource_uid', '=', workload.uid)
    .where('id', '=', id)
    .execute();
}

/** Writes the events, the status that follows from them, and the memory of the decision. */
async function writeStatus(
  tx: DatabaseTransaction,
  { workload: { uid }, state, observed }: LoadedDeployment,
  actions: readonly DeploymentAction[],
  wait: { readonly message: string; readonly revision: string } | undefined,
): Promise<void> {
  const said = pickActions(actions, 'change-status').map(({ event }) => event);
  const status = said.at(-1)?.status ?? observed.status;
  const note = wait === undefined ? pickActions(actions, 'add-event')[0]?.event : waitEvent(status, wait);
  const newest = said.at(-1)?.message ?? observed.newestEvent?.message;
  const events = note === undefined || note.message === newest ? said : [...said, note];
  await writeEvents(tx, uid, observed.status, events);
  const record = pickActions(actions, 'store-record')[0]?.record;
  if (record === undefined && status === observed.status) return;
  await tx
    .updateTable('resources')
    .set({ status, state: JSON.stringify({ ...state, ...record }) })
    .where('uid', '=', uid)
    .execute();
}

const waitEvent = (status: string, wait: { readonly message: string; readonly revision: string }): StatusEvent => ({
  type: status === 'DEPLOYING' ? 'deployment' : 'infrastructure',
  status,
  ...wait,
});
