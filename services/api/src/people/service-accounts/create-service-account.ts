import type { createServiceAccount as operation } from '@berth/contract';
import { uuidv7 } from '@berth/database';
import { newClientSecret } from '@berth/identity';
import type { WriteCall } from '../../http/call.ts';
import { reserve } from '../../resources/quota.ts';
import { renderServiceAccount, serviceAccountColumns } from './record.ts';

/** The secret appears only in this response; the database stores a hash of it. */
export async function createServiceAccount(call: WriteCall<typeof operation>): Promise<unknown> {
  const { tx, workspace, body } = call;
  const secret = newClientSecret();
  const row = await tx
    .insertInto('service_accounts')
    .values({
      client_id: uuidv7(),
      workspace_id: workspace.id,
      name: body.name,
      description: body.description ?? null,
      role: body.role,
      secret_hash: secret.hash,
    })
    .returning(serviceAccountColumns)
    .executeTakeFirstOrThrow();
  call.target(`service-account/${row.client_id}`);
  call.beforeCommit(() => reserve(call, 'service_accounts'));
  return { ...renderServiceAccount(row), client_secret: secret.value };
}
