// Writes one audit row per request. For a write the row is part of the write's transaction; for a read that shows
// secrets it is written before the response.
import type { Database } from '@berth/database';
import type { Call } from './call.ts';

export async function writeAudit(database: Database, call: Call, action: string, target: string): Promise<void> {
  await database
    .insertInto('audit_log')
    .values({ ...scopeOf(call), ...callerOf(call), action, target, request_id: call.requestId })
    .execute();
}

const callerOf = ({ principal, address }: Call) => ({
  subject: principal.subject,
  subject_type: principal.subjectType,
  key_id: principal.keyId,
  address,
});

function scopeOf(call: Call) {
  const { kind } = call.operation.access;
  if (kind === 'workspace' || kind === 'workspaceInPath')
    return { account_id: call.accountId, workspace_id: call.workspace.id };
  return { account_id: kind === 'account' ? call.accountId : onlyAccountOf(call), workspace_id: null };
}

/**
 * Operations of a person on their own keys appear in the audit log of the person's account, if the person has exactly
 * one.
 */
function onlyAccountOf({ principal }: Call): string | null {
  const [only, ...others] = principal.accounts;
  return only === undefined || others.length > 0 ? null : only.accountId;
}
