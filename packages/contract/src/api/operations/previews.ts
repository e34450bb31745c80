// Tokens of private previews; control-plane sheet 1.8. A token gives access to the sandbox, so a key limited by scopes
// reads or creates one only with the scope to call sandboxes.
import { z } from 'zod';
import { member } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { PreviewToken, PreviewTokenInput } from '../schema/preview.ts';
import { WorkspaceQuery } from '../schema/query.ts';

const tag = 'Previews';

export const listPreviewTokens = defineOperation({
  ...at('/sandboxes/{sandboxName}/previews/{previewName}/tokens'),
  id: 'listPreviewTokens',
  method: 'GET',
  tag,
  summary: 'List the tokens of a preview with their values',
  access: member('sandboxes:get', 'sandboxes:call'),
  query: WorkspaceQuery,
  answer: z.array(PreviewToken),
  auditRead: 'preview-token.read',
});

export const createPreviewToken = defineOperation({
  ...at('/sandboxes/{sandboxName}/previews/{previewName}/tokens'),
  id: 'createPreviewToken',
  method: 'POST',
  tag,
  summary: 'Create a token that opens a private preview',
  access: member('sandboxes:update', 'sandboxes:call'),
  query: WorkspaceQuery,
  body: PreviewTokenInput,
  answer: PreviewToken,
  audit: 'preview-token.create',
  secretAnswer: true,
});

export const deletePreviewToken = defineOperation({
  ...at('/sandboxes/{sandboxName}/previews/{previewName}/tokens/{tokenName}'),
  id: 'deletePreviewToken',
  method: 'DELETE',
  tag,
  summary: 'Delete a token of a preview, named by its name or its value',
  access: member('sandboxes:delete'),
  query: WorkspaceQuery,
  answer: z.object({ message: z.string() }).meta({ id: 'PreviewTokenDeleted' }),
  audit: 'preview-token.delete',
});
