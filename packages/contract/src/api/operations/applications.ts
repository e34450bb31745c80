// Control-plane sheet 1.9.
import { z } from 'zod';
import { admin, member } from '../access.ts';
import { AppRevision } from '../kinds/application.ts';
import { customDomain } from '../kinds/custom-domain.ts';
import { resourceInput, resourceSchema } from '../kinds/kind-operations.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { WorkspaceQuery } from '../schema/query.ts';

export const createApplicationCustomDomain = defineOperation({
  ...at('/applications/{applicationName}/customdomains'),
  id: 'createApplicationCustomDomain',
  method: 'POST',
  tag: 'Applications',
  summary: 'Register a custom domain for an application',
  access: admin('customdomains:create'),
  query: WorkspaceQuery,
  body: resourceInput(customDomain),
  answer: resourceSchema(customDomain),
  audit: 'customdomain.create',
});

export const listApplicationRevisions = defineOperation({
  ...at('/applications/{applicationName}/revisions'),
  id: 'listApplicationRevisions',
  method: 'GET',
  tag: 'Applications',
  summary: 'List the stored revisions of an application',
  access: member('applications:list'),
  query: WorkspaceQuery,
  answer: z.array(AppRevision),
});
