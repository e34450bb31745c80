// Keys of service accounts. The value is also stored, sealed with the workspace's data key, because S3 signatures are
// computed from it.
import { createServiceAccountKey, deleteServiceAccountKey, listServiceAccountKeys } from '@berth/contract';
import { seal } from '@berth/identity';
import { type Registration, read, type WriteCall, write } from '../../http/call.ts';
import { requireServiceAccount } from '../service-accounts/record.ts';
import { workspaceErrors } from '../workspaces/errors.ts';
import { loadWorkspace } from '../workspaces/record.ts';
import { issueKey } from './issue-key.ts';
import { listKeys } from './record.ts';
import { revokeKey } from './revoke-key.ts';

async function createKey(call: WriteCall<typeof createServiceAccountKey>): Promise<unknown> {
  const { tx, workspace, params, body, dependencies } = call;
  const owner = { service_account_id: await requireServiceAccount(tx, workspace.id, params.clientId) };
  // A workspace whose setup has not finished may have no data key to seal with.
  const { status } = await loadWorkspace(tx, workspace.id);
  if (status !== 'ready') throw workspaceErrors.workspace_not_ready({ name: workspace.name });
  const dataKey = await dependencies.keyring.workspaceKey(tx, workspace.id);
  return issueKey(call, { owner, input: body, seal: (id, value) => seal(dataKey, value, `api key ${id}`) });
}

export const serviceAccountKeyHandlers: readonly Registration[] = [
  read(listServiceAccountKeys, async ({ database, workspace, params }) =>
    listKeys(database, { service_account_id: await requireServiceAccount(database, workspace.id, params.clientId) }),
  ),
  write(createServiceAccountKey, createKey),
  write(deleteServiceAccountKey, async (call) => {
    const { tx, workspace, params } = call;
    const owner = { service_account_id: await requireServiceAccount(tx, workspace.id, params.clientId) };
    return revokeKey(call, owner, params.apiKeyId);
  }),
];
