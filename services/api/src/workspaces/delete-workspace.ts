// Deletes a workspace with everything in it and gives the account back what it held, in one transaction.
// The order matters: locking the workspace waits for those who create in it, deleting its resources waits for those who
// change or delete one. Only after that do the counters stand still, and each thing is given back exactly once.
import { kinds, requestErrors } from '@berth/contract';
import { allowLongStatements, type DatabaseTransaction, releaseQuota } from '@berth/database';
import { sql } from 'kysely';
import type { WriteCall } from '../http/call.ts';
import { renderWorkspace, workspaceColumns } from './record.ts';

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
  await removeResources(call);
  const held = await takeHoldings(tx, row.id);
  // Members, invitations, keys and steps go with the row.
  await tx.deleteFrom('workspaces').where('id', '=', row.id).execute();
  call.target(`workspace/${row.name}`);
  call.atLast(async () => {
    // Always in the same order, so that two deletions in one account do not lock each other out.
    for (const [resourceType, count] of [...held].sort()) await releaseQuota(tx, row.account_id, resourceType, count);
  });
  call.afterCommit(() => {
    dependencies.ringOutbox();
    dependencies.ringRoutes();
    dependencies.authenticator.forget(({ memberships }) =>
      memberships.some(({ workspaceId }) => workspaceId === row.id),
    );
    dependencies.keyring.forget(row.id);
  });
  return renderWorkspace(row);
}

/** What stands behind a resource is told to end, as when it is deleted alone; what runs comes first. */
async function removeResources({ tx, workspace, trace }: WriteCall): Promise<void> {
  await sql`
    with gone as (
      delete from resources where workspace_id = ${workspace.id} returning uid, terminated_at
    ), told as (
      select uid, row_number() over (order by exists (
        select 1 from instances where resource_uid = uid and ended_at is null) desc, uid) as place
      from gone where terminated_at is null
    )
    insert into outbox (topic, key, workspace_id, trace)
    select 'reconcile', uid, ${workspace.id}::uuid, ${trace ?? null} from told order by place`.execute(tx);
}

/** What the workspace holds of each limit of its account. */
async function takeHoldings(tx: DatabaseTransaction, workspaceId: string): Promise<Map<string, number>> {
  const held = new Map<string, number>();
  const add = (resourceType: string | undefined, count: number): void => {
    if (resourceType !== undefined && count > 0) held.set(resourceType, (held.get(resourceType) ?? 0) + count);
  };
  const counters = await tx
    .deleteFrom('resource_counts')
    .where('workspace_id', '=', workspaceId)
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
