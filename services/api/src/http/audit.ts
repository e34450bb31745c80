// One row of the audit log for one request. For a write it is in the transaction of the write; for a read that shows secrets it is
// written before they are answered.
import type { Database } from '@berth/database';
import type { Call } from './call.ts';

export async function writeAudit(database: Database, call: Call, action: string, target: string): Promise<void> {
  await database
    .insertInto('audit_log')
    .values({ ...placeOf(call), ...callerOf(call), action, target, request_id: call.requestId })
    .execute();
}

const callerOf = ({ principal, address }: Call) => ({
  subject: principal.subject,
  subject_type: principal.subjectType,
  key_id: principal.keyId,
  address,
});

function placeOf(call: Call) {
  const { kind } = call.operation.access;
  if (kind === 'workspace' || kind === 'workspaceInPath')
    return { account_id: call.accountId, workspace_id: call.workspace.id };
  return { account_id: kind === 'account' ? call.accountId : onlyAccountOf(call), workspace_id: null };
}

/** What people do with their own keys is shown to the admins of their account, when they have only one. */
function onlyAccountOf({ principal }: Call): string | null {
  const [only, ...others] = principal.accounts;
  return only === undefined || others.length > 0 ? null : only.accountId;
}
