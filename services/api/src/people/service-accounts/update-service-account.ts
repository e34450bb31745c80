import { type updateServiceAccount as operation, requestErrors } from '@berth/contract';
import { sql } from 'kysely';
import type { WriteCall } from '../../http/call.ts';
import { clientIdOf, renderServiceAccount, serviceAccountColumns } from './record.ts';

export async function updateServiceAccount(call: WriteCall<typeof operation>): Promise<unknown> {
  const { tx, workspace, body, params, dependencies } = call;
  const row = await tx
    .updateTable('service_accounts')
    .set({
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.role === undefined ? {} : { role: body.role }),
      updated_at: sql<Date>`clock_timestamp()`,
    })
    .where('client_id', '=', clientIdOf(params.clientId))
    .where('workspace_id', '=', workspace.id)
    .returning(serviceAccountColumns)
    .executeTakeFirst();
  if (row === undefined) throw requestErrors.not_found();
  call.target(`service-account/${row.client_id}`);
  call.afterCommit(() => dependencies.authenticator.forget(({ subject }) => subject === row.client_id));
  return renderServiceAccount(row);
}
