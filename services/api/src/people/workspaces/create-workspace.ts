// Creates a workspace in recorded steps. A failed step rolls back only itself: the workspace then has status `error`
// with the reason, and the remaining steps can be retried.
import type { Database, DatabaseTransaction, WorkspaceStatus } from '@berth/database';
import { uuidv7 } from '@berth/database';
import type { Keyring } from '@berth/identity';
import { sql } from 'kysely';
import type { ApiConfig } from '../../config.ts';
import { isRetryable } from '../../http/database-errors.ts';
import { nameProblem } from './name-rules.ts';
import { accountKeepingName } from './released-names.ts';
import { type SetupContext, setupSteps } from './setup-steps.ts';

export interface NewWorkspace {
  readonly name: string;
  readonly accountId: string;
  readonly ownerId: string;
  readonly createdBy?: string;
  readonly displayName?: string | undefined;
  readonly region?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly groupMappings?: readonly object[] | undefined;
  readonly runtime?: object | undefined;
}

/** Undefined when the name is taken or reserved for another account; names are unique in the deployment. */
export async function addWorkspace(
  tx: DatabaseTransaction,
  keyring: Keyring,
  config: ApiConfig,
  input: NewWorkspace,
): Promise<string | undefined> {
  const id = uuidv7();
  const by = input.createdBy ?? input.ownerId;
  const row = await tx
    .insertInto('workspaces')
    .values({
      id,
      account_id: input.accountId,
      name: input.name,
      display_name: input.displayName ?? null,
      region: input.region ?? config.regions[0]?.name ?? null,
      labels: JSON.stringify(input.labels ?? {}),
      group_mappings: JSON.stringify(input.groupMappings ?? []),
      runtime: JSON.stringify(input.runtime ?? {}),
      status: 'created',
      created_by: by,
      updated_by: by,
    })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) return undefined;
  // Checked after the insert, which waits for a concurrent deletion of a workspace of the same name. On refusal the
  // caller rolls back.
  const keeper = await accountKeepingName(tx, input.name);
  if (keeper !== undefined && keeper !== input.accountId) return undefined;
  // Inserted before any step that can fail: without a member, no user could retry the step.
  await tx
    .insertInto('workspace_members')
    .values({ workspace_id: id, user_id: input.ownerId, role: 'admin' })
    .execute();
  await record(tx, id, 'created');
  await runSetup({ tx, keyring, config, workspaceId: id, accountId: input.accountId, ownerId: input.ownerId });
  return id;
}

/** Runs the steps that are not done yet, in order, up to the first failure. */
export async function runSetup(context: SetupContext): Promise<void> {
  const { tx, workspaceId } = context;
  const done = await tx.selectFrom('workspace_steps').select('step').where('workspace_id', '=', workspaceId).execute();
  const left = setupSteps.filter(({ reaches }) => !done.some(({ step }) => step === reaches));
  for (const { reaches, run } of left) {
    await sql`savepoint setup_step`.execute(tx);
    try {
      await run(context);
      await record(tx, workspaceId, reaches);
      await sql`release savepoint setup_step`.execute(tx);
    } catch (error) {
      // A deadlock or serialization failure is not the step's fault: the whole transaction runs again.
      if (isRetryable(error)) throw error;
      await sql`rollback to savepoint setup_step`.execute(tx);
      const reason = `The step to ${reaches} failed: ${error instanceof Error ? error.message : 'unknown reason'}. Change the workspace to try again.`;
      await setStatus(tx, workspaceId, 'error', reason);
      return;
    }
  }
}

async function record(tx: DatabaseTransaction, workspaceId: string, step: WorkspaceStatus): Promise<void> {
  await sql`insert into workspace_steps (workspace_id, step, at) values (${workspaceId}, ${step}, clock_timestamp())`.execute(
    tx,
  );
  await setStatus(tx, workspaceId, step, null);
}

async function setStatus(
  tx: DatabaseTransaction,
  workspaceId: string,
  status: WorkspaceStatus,
  reason: string | null,
): Promise<void> {
  await tx.updateTable('workspaces').set({ status, status_reason: reason }).where('id', '=', workspaceId).execute();
}

/** For the first run and other operator commands, outside of a request. */
export async function createWorkspace(
  database: Database,
  keyring: Keyring,
  config: ApiConfig,
  input: NewWorkspace,
): Promise<string> {
  requireWorkspaceName(input.name, config);
  return database.transaction().execute(async (tx) => {
    const id = await addWorkspace(tx, keyring, config, input);
    if (id === undefined) throw new Error(`There is a workspace named ${input.name} already. Choose another name.`);
    return id;
  });
}

export function requireWorkspaceName(name: string, { brand }: Pick<ApiConfig, 'brand'>): void {
  const problem = nameProblem(name, brand);
  if (problem !== undefined) throw new Error(problem.message);
}
