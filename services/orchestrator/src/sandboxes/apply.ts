// Writes the planned actions for a sandbox, inside the transaction that holds its row. Locks runners before instances
// and counters last, like every writer.
import { kinds } from '@berth/contract';
import { type DatabaseTransaction, releaseQuotaAndCount } from '@berth/database';
import { terminateSandbox } from '@berth/instances';
import type { Dependencies } from '../run/dependencies.ts';
import { pickActions } from '../run/pick-actions.ts';
import type { Applied } from '../run/reconciler.ts';
import { type Retired, retireInstances } from '../run/retire-instances.ts';
import { writeEvents } from '../run/write-events.ts';
import { endLostInstance } from './end-lost-instance.ts';
import type { LoadedSandbox } from './load.ts';
import type { SandboxAction } from './observed.ts';
import { startSandbox } from './start-sandbox.ts';

export async function applySandbox(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  loaded: LoadedSandbox,
  actions: readonly SandboxAction[],
): Promise<Applied> {
  for (const { instance, message } of pickActions(actions, 'end-lost')) {
    const isEnded = await endLostInstance(tx, instance, message);
    // The runner has just come back, so the rest of the plan is outdated.
    if (!isEnded && pickActions(actions, 'change-status').length > 0)
      return { ...unchanged, dueAt: [loaded.observed.now] };
  }
  const [start] = pickActions(actions, 'start');
  const placed = start === undefined ? undefined : await startSandbox(tx, dependencies, loaded);
  const retired: Retired[] = [];
  for (const { instances } of pickActions(actions, 'retire'))
    retired.push(...(await retireInstances(tx, instances, 'gone')));
  await writeStatus(tx, loaded, actions, placed?.waiting);
  for (const ending of pickActions(actions, 'terminate')) retired.push(...(await terminate(tx, loaded, ending)));
  return {
    started: placed?.started ?? [],
    retired,
    isChanged: actions.some((action) => action.do !== 'set-timer'),
    hasUnplaced: placed?.waiting !== undefined,
    dueAt: pickActions(actions, 'set-timer').map(({ at }) => at),
  };
}

const unchanged: Applied = { started: [], retired: [], isChanged: false, hasUnplaced: false, dueAt: [] };

/** Writes the events, the status that follows from them, and the settled boot. */
async function writeStatus(
  tx: DatabaseTransaction,
  { uid, state, observed }: LoadedSandbox,
  actions: readonly SandboxAction[],
  waiting: string | undefined,
): Promise<void> {
  const said = pickActions(actions, 'change-status').map(({ event }) => event);
  const status = said.at(-1)?.status ?? observed.status;
  const wait = waiting === undefined ? [] : [{ type: 'deployment' as const, status, message: waiting }];
  const newest = said.at(-1)?.message ?? observed.newestEvent?.message;
  const notes = [...pickActions(actions, 'add-event').map(({ event }) => event), ...wait];
  await writeEvents(tx, uid, observed.status, [...said, ...notes.filter(({ message }) => message !== newest)]);
  const [settled] = pickActions(actions, 'record-boot');
  if (settled === undefined && status === observed.status) return;
  const next = settled === undefined ? state : { ...state, settledBoot: settled.boot };
  await tx
    .updateTable('resources')
    .set({ status, state: JSON.stringify(next) })
    .where('uid', '=', uid)
    .execute();
}

const resourceType = kinds.find(({ kind }) => kind === 'sandbox')?.quota;

/** Gives counters and limits back only if this call ended the sandbox, so that it happens once. */
async function terminate(
  tx: DatabaseTransaction,
  { uid, name, workspace, accountId, stored }: LoadedSandbox,
  { type, message }: Extract<SandboxAction, { do: 'terminate' }>,
): Promise<readonly Retired[]> {
  const ended = await terminateSandbox(tx, { uid, name, workspaceId: workspace.id, spec: stored }, { type, message });
  if (ended === undefined) return [];
  await releaseQuotaAndCount(tx, { workspaceId: workspace.id, kind: 'sandbox', accountId, resourceType });
  return ended.retired;
}
