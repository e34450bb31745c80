// Deletes a workspace and releases its share of the account's limits, in a transaction whose size does not depend on
// the content: deleting the workspace's row hides everything in it. The orchestrator removes the content afterwards in
// batches (removal). Every transaction that creates or releases something in the workspace locks the workspace's row
// until its commit. So the counters no longer change once the row is locked here, and each resource is released exactly
// once.
import { kinds, requestErrors } from '@berth/contract';
import {
  allowLongStatements,
  type DatabaseTransaction,
  enqueue,
  outboxTopics,
  releaseQuota,
  unendedInstance,
} from '@berth/database';
import { sql } from 'kysely';
import type { WriteCall } from '../../http/call.ts';
import { renderWorkspace, type WorkspaceRow, workspaceColumns } from './record.ts';

const quotaOfKind = new Map([
  ...kinds.flatMap(({ kind, quota }) => (quota === undefined ? [] : [[kind, quota] as const])),
  ['image', 'images'],
]);

export async function deleteWorkspace(call: WriteCall): Promise<unknown> {
  const { tx, workspace, dependencies } = call;
  await allowLongStatements(tx);
  const row = await tx
    .selectFrom('workspaces')
    .select(workspaceColumns)
    .where('id', '=', workspace.id)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw requestErrors.not_found();
  const held = await takeHoldings(tx, row.id);
  await endWhatRuns(call, row);
  await enqueue(tx, { topic: 'removal', key: row.id, workspaceId: row.id, trace: call.trace });
  // Members, invitations, keys and steps are deleted with the row.
  await tx.deleteFrom('workspaces').where('id', '=', row.id).execute();
  call.target(`workspace/${row.name}`);
  call.beforeCommit(async () => {
    // A fixed order, so that two deletions in one account do not deadlock.
    for (const [resourceType, count] of [...held].sort()) await releaseQuota(tx, row.account_id, resourceType, count);
  });
  call.afterCommit(() => {
    dependencies.notifyOutbox();
    dependencies.notifyRoutes();
    dependencies.authenticator.forget(({ memberships }) =>
      memberships.some(({ workspaceId }) => workspaceId === row.id),
    );
    dependencies.keyring.forget(row.id);
  });
  return renderWorkspace(row);
}

/**
 * Enqueues reconcile for running resources before the rest is removed. Their number is bounded by a limit of the
 * account. Attempts of tasks are ended by the removal.
 */
async function endWhatRuns({ tx, trace }: WriteCall, { id, account_id }: WorkspaceRow): Promise<void> {
  await sql`
    insert into outbox (topic, key, workspace_id, trace)
    select distinct ${sql.lit(outboxTopics.reconcile)}, resource_uid::text, workspace_id, ${trace ?? null} from instances
    where account_id = ${account_id} and workspace_id = ${id} and ${unendedInstance()}
      and resource_uid is not null and execution_id is null`.execute(tx);
}

/** The workspace's share of each limit of its account; counters without a limit are removed with the rest. */
async function takeHoldings(tx: DatabaseTransaction, workspaceId: string): Promise<Map<string, number>> {
  const held = new Map<string, number>();
  const add = (resourceType: string | undefined, count: number): void => {
    if (resourceType !== undefined && count > 0) held.set(resourceType, (held.get(resourceType) ?? 0) + count);
  };
  const counters = await tx
    .deleteFrom('resource_counts')
    .where('workspace_id', '=', workspaceId)
    .where('kind', 'in', [...quotaOfKind.keys()])
    .returning(['kind', 'live'])
    .execute();
  for (const { kind, live } of counters) add(quotaOfKind.get(kind), live);
  const accounts = await tx
    .deleteFrom('service_accounts')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  add('service_accounts', Number(accounts.numDeletedRows));
  const bound = await tx
    .selectFrom('workspace_steps')
    .select('step')
    .where('workspace_id', '=', workspaceId)
    .where('step', '=', 'account_binded')
    .executeTakeFirst();
  if (bound !== undefined) add('workspaces', 1);
  return held;
}
