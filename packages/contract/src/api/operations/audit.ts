// The audit log. Our own addition: the interface has no such operation.
import { z } from 'zod';
import { accountAdmin, admin } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { AuditPage, auditQuery } from '../schema/audit.ts';
import { WorkspaceQuery } from '../schema/query.ts';

const tag = 'Audit';

export const listAudit = defineOperation({
  ...at('/audit'),
  id: 'listAudit',
  method: 'GET',
  tag,
  summary: 'List who did what in the workspace, newest first',
  access: admin('audit:list'),
  query: WorkspaceQuery.extend(auditQuery),
  answer: AuditPage,
  isAddition: true,
});

export const listAccountAudit = defineOperation({
  ...at('/accounts/{accountId}/audit'),
  id: 'listAccountAudit',
  method: 'GET',
  tag,
  summary: 'List who did what in the account and all of its workspaces, newest first',
  access: accountAdmin('audit:list'),
  query: z.object(auditQuery),
  answer: AuditPage,
  isAddition: true,
});
