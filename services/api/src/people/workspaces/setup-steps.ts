// Setup steps behind each status of a new workspace; specification: workspace status.
import { addToCount, type DatabaseTransaction, reserveQuota, uuidv7, type WorkspaceStatus } from '@berth/database';
import type { Keyring } from '@berth/identity';
import { sql } from 'kysely';
import type { ApiConfig } from '../../config.ts';
import { searchText } from '../../resources/search-text.ts';
import { listPrices } from '../accounts/prices.ts';

export interface SetupContext {
  readonly tx: DatabaseTransaction;
  readonly keyring: Keyring;
  readonly config: ApiConfig;
  readonly workspaceId: string;
  readonly accountId: string;
  readonly ownerId: string;
}

interface SetupStep {
  readonly reaches: WorkspaceStatus;
  run(context: SetupContext): Promise<void>;
}

export const setupSteps: readonly SetupStep[] = [
  { reaches: 'account_binded', run: bindAccount },
  { reaches: 'account_configured', run: configureAccount },
  { reaches: 'workspace_configured', run: configureWorkspace },
  { reaches: 'ready', run: async () => {} },
];

/** Checks that the account exists and counts the workspace against its limit. */
async function bindAccount({ tx, accountId }: SetupContext): Promise<void> {
  await tx.selectFrom('accounts').select('id').where('id', '=', accountId).executeTakeFirstOrThrow();
  await sql`insert into quota_usage (account_id, resource_type, used) values (${accountId}, 'workspaces', 1)
    on conflict (account_id, resource_type) do update set used = quota_usage.used + 1`.execute(tx);
}

/** Sets the owner's role and the account's prices. */
async function configureAccount({ tx, accountId, workspaceId, ownerId }: SetupContext): Promise<void> {
  await tx
    .insertInto('workspace_members')
    .values({ workspace_id: workspaceId, user_id: ownerId, role: 'admin' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const priced = await tx
    .selectFrom('prices')
    .select('billing_dimension')
    .where('account_id', '=', accountId)
    .limit(1)
    .executeTakeFirst();
  if (priced !== undefined) return;
  await tx
    .insertInto('prices')
    .values(
      listPrices.map(({ dimension, unit, usdPerUnit }) => ({
        account_id: accountId,
        billing_dimension: dimension,
        unit,
        usd_per_unit: usdPerUnit,
        // Usage before its first price would cost nothing: a step that failed may be done again hours later.
        valid_from: sql<Date>`(select date_trunc('hour', min(created_at), 'UTC') from workspaces where account_id = ${accountId})`,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Creates the data key and the default VPC of the workspace, and checks its home region. */
async function configureWorkspace({
  tx,
  keyring,
  config,
  workspaceId,
  accountId,
  ownerId,
}: SetupContext): Promise<void> {
  await keyring.createWorkspaceKey(tx, workspaceId);
  const { region } = await tx
    .selectFrom('workspaces')
    .select('region')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  if (!config.regions.some(({ name }) => name === region))
    throw new Error(`${region} is not a region of this deployment`);
  const uid = uuidv7();
  await tx
    .insertInto('resources')
    .values({
      uid,
      workspace_id: workspaceId,
      kind: 'vpc',
      name: 'default',
      spec: '{}',
      status: 'DEPLOYED',
      created_by: ownerId,
      updated_by: ownerId,
      search: searchText({ name: 'default', displayName: undefined, labels: undefined }),
    })
    .execute();
  await tx
    .insertInto('resource_events')
    .values({ resource_uid: uid, type: 'deployment', status: 'DEPLOYED', message: 'Ready.' })
    .execute();
  // Never refused: a workspace is unusable without its VPC, and the number of workspaces is limited anyway.
  await reserveQuota(tx, { accountId, resourceType: 'vpcs', limit: Number.MAX_SAFE_INTEGER });
  await addToCount(tx, { workspaceId, kind: 'vpc' }, 1);
}
