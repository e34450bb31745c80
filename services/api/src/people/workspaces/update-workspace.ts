// Replaces the settings that were sent. A workspace whose creation stopped in `error` continues with the remaining
// steps.
import { type updateWorkspace as operation, resourceErrors, workspaceEffects } from '@berth/contract';
import { sql } from 'kysely';
import type { WriteCall } from '../../http/call.ts';
import { refuseAmong } from '../../resources/field-effects.ts';
import { runSetup } from './create-workspace.ts';
import { loadWorkspace, lockWorkspace, renderWorkspace, type WorkspaceRow } from './record.ts';
import { requireRegion } from './require-region.ts';

type Update = WriteCall<typeof operation>;

export async function updateWorkspace(call: Update): Promise<unknown> {
  const { tx, workspace, principal, body } = call;
  const row = await lockWorkspace(tx, workspace.id);
  requireUnchanged(call, row);
  refuseAmong(workspaceEffects, body);
  await tx
    .updateTable('workspaces')
    .set({
      ...(body.displayName === undefined ? {} : { display_name: body.displayName }),
      ...(body.labels === undefined ? {} : { labels: JSON.stringify(body.labels) }),
      ...(body.groupMappings === undefined ? {} : { group_mappings: JSON.stringify(body.groupMappings) }),
      ...(body.runtime === undefined ? {} : { runtime: JSON.stringify(body.runtime) }),
      ...(body.region === undefined ? {} : { region: body.region }),
      updated_by: principal.subject,
      updated_at: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', row.id)
    .execute();
  if (row.status !== 'ready') await continueSetup(call, row);
  call.target(`workspace/${row.name}`);
  return renderWorkspace(await loadWorkspace(tx, row.id));
}

/** Content is stored in the region, so the region can be corrected only until the workspace is ready. */
function requireUnchanged({ body, dependencies }: Update, row: WorkspaceRow): void {
  if (body.name !== undefined && body.name !== row.name) throw resourceErrors.immutable_field({ field: 'name' });
  if (body.region === undefined || body.region === row.region) return;
  if (row.status === 'ready') throw resourceErrors.immutable_field({ field: 'region' });
  requireRegion(dependencies.config, body.region);
}

async function continueSetup({ tx, dependencies }: Update, row: WorkspaceRow): Promise<void> {
  // The caller may be a service account, which cannot own a workspace; a workspace always has an admin who can.
  const { user_id } = await tx
    .selectFrom('workspace_members')
    .select('user_id')
    .where('workspace_id', '=', row.id)
    .where('role', '=', 'admin')
    .orderBy('created_at')
    .orderBy('user_id')
    .limit(1)
    .executeTakeFirstOrThrow();
  const { keyring, config } = dependencies;
  await runSetup({ tx, keyring, config, workspaceId: row.id, accountId: row.account_id, ownerId: user_id });
}
