// Creates a workspace in an account that the caller administers; the caller becomes its first admin.
import { type createWorkspace, requestErrors, resourceErrors, workspaceEffects } from '@berth/contract';
import { limitOf } from '@berth/instances';
import type { WriteCall } from '../../http/call.ts';
import { refuseAmong } from '../../resources/field-effects.ts';
import { addWorkspace } from './create-workspace.ts';
import { workspaceErrors } from './errors.ts';
import { nameProblem } from './name-rules.ts';
import { loadWorkspace, renderWorkspace } from './record.ts';
import { requireRegion } from './require-region.ts';

type Create = WriteCall<typeof createWorkspace>;

export async function createForCaller(call: Create): Promise<unknown> {
  const { tx, dependencies, principal, body } = call;
  const accountId = await chooseAccount(call);
  const problem = nameProblem(body.name, dependencies.config.brand);
  if (problem !== undefined) throw workspaceErrors.name_forbidden({ reason: problem.message });
  requireRegion(dependencies.config, body.region);
  refuseAmong(workspaceEffects, body);
  const id = await addWorkspace(tx, dependencies.keyring, dependencies.config, {
    ...body,
    accountId,
    ownerId: principal.subject,
  });
  if (id === undefined) throw resourceErrors.already_exists({ kind: 'workspace', name: body.name });
  await requireRoom(call, accountId);
  call.target(`workspace/${body.name}`);
  call.afterCommit(() => dependencies.authenticator.forget(({ subject }) => subject === principal.subject));
  return renderWorkspace(await loadWorkspace(tx, id));
}

/** Runs after the new workspace was counted: the counter's row is locked, so concurrent creates cannot both pass. */
async function requireRoom({ tx, dependencies }: Create, accountId: string): Promise<void> {
  const resourceType = 'workspaces';
  const account = await tx
    .selectFrom('accounts')
    .innerJoin('quota_usage', 'quota_usage.account_id', 'accounts.id')
    .select(['tier', 'quotas', 'used'])
    .where('accounts.id', '=', accountId)
    .where('resource_type', '=', resourceType)
    .executeTakeFirstOrThrow();
  const limit = limitOf(account, dependencies.config, resourceType);
  if (account.used > limit) throw resourceErrors.quota_exceeded({ limit, resourceType });
}

/** A foreign account and a missing one get the same refusal. */
async function chooseAccount({ tx, principal, body }: Create): Promise<string> {
  const administered = await administeredAccounts(tx, principal);
  if (body.accountId !== undefined) {
    if (!administered.includes(body.accountId)) throw requestErrors.role_required({ role: 'account admin' });
    return body.accountId;
  }
  const [only, ...others] = administered;
  if (only === undefined) throw requestErrors.role_required({ role: 'account admin' });
  if (others.length > 0) throw workspaceErrors.account_required({ accounts: administered.join(', ') });
  return only;
}

async function administeredAccounts(tx: Create['tx'], principal: Create['principal']): Promise<string[]> {
  if (principal.subjectType !== 'user') return [];
  const rows = await tx
    .selectFrom('account_members')
    .select('account_id')
    .where('user_id', '=', principal.subject)
    .where('role', '=', 'admin')
    .orderBy('account_id')
    .execute();
  return rows.map(({ account_id }) => account_id);
}
