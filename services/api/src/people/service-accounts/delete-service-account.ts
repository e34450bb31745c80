import { type deleteServiceAccount as operation, requestErrors } from '@berth/contract';
import { releaseQuota } from '@berth/database';
import type { WriteCall } from '../../http/call.ts';
import { clientIdOf, renderServiceAccount, serviceAccountColumns } from './record.ts';

/** Deletes a service account together with its keys. */
export async function deleteServiceAccount(call: WriteCall<typeof operation>): Promise<unknown> {
  const { tx, workspace, params, dependencies } = call;
  const row = await tx
    .deleteFrom('service_accounts')
    .where('client_id', '=', clientIdOf(params.clientId))
    .where('workspace_id', '=', workspace.id)
    .returning(serviceAccountColumns)
    .executeTakeFirst();
  if (row === undefined) throw requestErrors.not_found();
  call.target(`service-account/${row.client_id}`);
  call.beforeCommit(() => releaseQuota(tx, workspace.account.id, 'service_accounts'));
  call.afterCommit(() => dependencies.authenticator.forget(({ subject }) => subject === row.client_id));
  return renderServiceAccount(row);
}
