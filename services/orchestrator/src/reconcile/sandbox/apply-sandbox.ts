// Writes the planned actions for a sandbox, inside the transaction that holds its row. Locks runners before instances
// and counters last, like every writer.
import { kinds } from '@berth/contract';
import { type DatabaseTransaction, releaseQuotaAndCount } from '@berth/database';
import { terminateSandbox } from '@berth/placement';
import type { SandboxAction } from '../../plan/observed-sandbox.ts';
import { only } from '../../plan/only.ts';
import type { Applied } from '../apply.ts';
import type { Dependencies } from '../dependencies.ts';
import { type Retired, retireInstances } from '../retire.ts';
import { writeEvents } from '../write-events.ts';
import { giveUpInstance } from './give-up-instance.ts';
import type { LoadedSandbox } from './load-sandbox.ts';
import { startSandbox } from './start-sandbox.ts';

export async function applySandbox(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  loaded: LoadedSandbox,
  actions: readonly SandboxAction[],
): Promise<Applied> {
  for (const { instance, message } of only(actions, 'give-up')) {
    const isGivenUp = await giveUpInstance(tx, instance, message);
    // The runner has just come back, so the rest of the plan is outdated.
    if (!isGivenUp && only(actions, 'say').length > 0) return { ...unchanged, lookAgainAt: [loaded.observed.now] };
  }
  const [start] = only(actions, 'start');
  const placed = start === undefined ? undefined : await startSandbox(tx, dependencies, loaded);
  const retired: Retired[] = [];
  for (const { instances } of only(actions, 'retire')) retired.push(...(await retireInstances(tx, instances, 'gone')));
  await tell(tx, loaded, actions, placed?.waiting);
  for (const ending of only(actions, 'terminate')) retired.push(...(await terminate(tx, loaded, ending)));
  return {
    started: placed?.started ?? [],
    retired,
    isChanged: actions.some((action) => action.do !== 'look-again'),
    isWaiting: placed?.waiting !== undefined,
    lookAgainAt: only(actions, 'look-again').map(({ at }) => at),
  };
}

const unchanged: Applied = { started: [], retired: [], isChanged: false, isWaiting: false, lookAgainAt: [] };

/** Writes the events, the status that follows from them, and the settled boot. */
async function tell(
  tx: DatabaseTransaction,
  { uid, state, observed }: LoadedSandbox,
  actions: readonly SandboxAction[],
  waiting: string | undefined,
): Promise<void> {
  const said = only(actions, 'say').map(({ event }) => event);
  const status = said.at(-1)?.status ?? observed.status;
  const wait = waiting === undefined ? [] : [{ type: 'deployment' as const, status, message: waiting }];
  const newest = said.at(-1)?.message ?? observed.newestEvent?.message;
  const notes = [...only(actions, 'note').map(({ event }) => event), ...wait];
  await writeEvents(tx, uid, observed.status, [...said, ...notes.filter(({ message }) => message !== newest)]);
  const [settled] = only(actions, 'settle');
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
