import { type createServiceAccount as operation, resourceErrors } from '@berth/contract';
import { reserveQuota, uuidv7 } from '@berth/database';
import { newClientSecret } from '@berth/identity';
import { limitOf } from '../accounts/limits.ts';
import type { WriteCall } from '../http/call.ts';
import { renderServiceAccount, serviceAccountColumns } from './record.ts';

const resourceType = 'service_accounts';

/** The secret stands in this answer and nowhere else; what is kept of it is a hash. */
export async function createServiceAccount(call: WriteCall<typeof operation>): Promise<unknown> {
  const { tx, workspace, body, dependencies } = call;
  const { account } = workspace;
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
  call.atLast(async () => {
    const limit = limitOf(account, dependencies.config, resourceType);
    if (await reserveQuota(tx, { accountId: account.id, resourceType, limit })) return;
    throw resourceErrors.quota_exceeded({ limit, resourceType });
  });
  return { ...renderServiceAccount(row), client_secret: secret.value };
}
