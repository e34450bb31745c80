// Audit entries: who did what, when and from where. Our own addition to the interface.
import { z } from 'zod';
import { pageQuery } from './query.ts';
import { CursorMeta } from './shared.ts';
import { Instant, Timestamp } from './text.ts';

export const auditQuery = {
  cursor: pageQuery.cursor,
  limit: pageQuery.limit,
  subject: z.string().max(256).optional().describe('Only what this user or service account did.'),
  keyId: z.string().max(64).optional().describe('Only what was done with this API key.'),
  action: z.string().max(128).optional().describe('Only this action, such as api-key.create.'),
  from: Instant.optional().describe('Only what happened then or later.'),
  to: Instant.optional().describe('Only what happened before.'),
};

const AuditEntry = z
  .object({
    at: Timestamp,
    action: z.string(),
    target: z.string().describe('Kind and name, empty where the action says it all.'),
    subject: z.string(),
    subjectType: z.string(),
    keyId: z.string().optional().describe('The API key that was used.'),
    address: z.string().optional().describe('Where the request came from.'),
    uses: z.int().describe('Calls that this entry stands for; more than one only for calls of workloads.'),
    requestId: z.string().describe('Of the first of them.'),
    workspaceId: z.string().optional(),
  })
  .meta({ id: 'AuditEntry' });

export const AuditPage = z.object({ data: z.array(AuditEntry), meta: CursorMeta }).meta({ id: 'AuditPage' });
