import type { ResourceRow } from '../resources/record.ts';
import { ImageSpec } from './record.ts';
import { parseReference } from './reference.ts';

/** Shows neither a status nor a size, because images are not built here. */
export function renderImage(row: ResourceRow, workspace: string) {
  const { resourceType, name, tags } = ImageSpec.parse(row.spec);
  const repository = parseReference(tags[0]?.reference ?? '')?.repository;
  return {
    metadata: {
      name,
      resourceType,
      workspace,
      ...(repository === undefined ? {} : { displayName: repository }),
      createdAt: row.created_at.toISOString(),
      updatedAt: row.updated_at.toISOString(),
    },
    spec: { tags: tags.map(({ name, createdAt, updatedAt }) => ({ name, createdAt, updatedAt })) },
  };
}
