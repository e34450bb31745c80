// Control-plane sheet 1.11.
import { z } from 'zod';
import { member } from '../access.ts';
import { resourceSchema } from '../kinds/kind-operations.ts';
import { volumeTemplate } from '../kinds/volume-template.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { WorkspaceQuery } from '../schema/query.ts';

export const deleteVolumeTemplateVersion = defineOperation({
  ...at('/volume_templates/{volumeTemplateName}/versions/{versionName}'),
  id: 'deleteVolumeTemplateVersion',
  method: 'DELETE',
  tag: 'Volume templates',
  summary: 'Delete one version of a volume template',
  access: member('volumeTemplates:delete'),
  query: WorkspaceQuery,
  answer: z.object({ message: z.string(), template: resourceSchema(volumeTemplate) }),
  audit: 'volumetemplate.delete-version',
});
