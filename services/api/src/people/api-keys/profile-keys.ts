// Personal API keys, owned by users. Keys of a service account are managed by the admins of its workspace.
import { createProfileKey, deleteProfileKey, listProfileKeys } from '@berth/contract';
import type { Principal } from '@berth/identity';
import { type Registration, read, write } from '../../http/call.ts';
import { requirePerson } from '../require-person.ts';
import { issueKey } from './issue-key.ts';
import { listKeys } from './record.ts';
import { revokeKey } from './revoke-key.ts';

function ownerOf(principal: Principal) {
  requirePerson(principal, 'have personal API keys');
  return { user_id: principal.subject };
}

export const profileKeyHandlers: readonly Registration[] = [
  read(listProfileKeys, async ({ database, principal }) => listKeys(database, ownerOf(principal))),
  write(createProfileKey, async (call) => issueKey(call, { owner: ownerOf(call.principal), input: call.body })),
  write(deleteProfileKey, async (call) => revokeKey(call, ownerOf(call.principal), call.params.apiKeyId)),
];
