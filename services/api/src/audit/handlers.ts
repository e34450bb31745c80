import { listAccountAudit, listAudit } from '@berth/contract';
import { type Registration, read } from '../http/call.ts';
import { listEntries } from './list-entries.ts';

export const auditHandlers: readonly Registration[] = [
  read(listAudit, (call) => listEntries(call, { workspaceId: call.workspace.id }, call.query)),
  read(listAccountAudit, (call) => listEntries(call, { accountId: call.accountId }, call.query)),
];
