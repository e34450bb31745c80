// An image of the workspace: a resource of kind `image`, named `<type>/<name>`, with its tags in the spec.
import { defaultTag, imageResourceTypes } from '@berth/contract';
import { type Database, liveResource } from '@berth/database';
import { imageTypeOf } from '@berth/instances';
import { z } from 'zod';
import { type ResourceRow, resourceColumns } from '../resources/record.ts';

export const imageKind = 'image';

const Tag = z.object({ name: z.string(), reference: z.string(), createdAt: z.string(), updatedAt: z.string() });
export type Tag = z.infer<typeof Tag>;

export const ImageSpec = z.object({
  resourceType: z.enum(imageResourceTypes),
  name: z.string(),
  /** Most recently registered first. */
  tags: z.array(Tag),
  /** Registry credentials, sealed; never shown. */
  dockerConfig: z.object({ $sealed: z.string() }).optional(),
});
export type ImageSpec = z.infer<typeof ImageSpec>;

/** References to application images begin with `app`; `imageTypeOf` is the way back. */
const referencePrefix = (resourceType: string): string => (resourceType === 'application' ? 'app' : resourceType);

export const storedName = (resourceType: string, name: string): string =>
  `${imageTypeOf(resourceType) ?? resourceType}/${name}`;

/** Reference by which a workload names the tag. */
export const workloadReference = ({ resourceType, name }: Pick<ImageSpec, 'resourceType' | 'name'>, tag: string) =>
  `${referencePrefix(resourceType)}/${name}:${tag}`;

/** Every reference by which a workload of the workspace may name the tag. */
export function referenceForms(image: ImageSpec, tag: string, workspace: string): string[] {
  const types = [...new Set([image.resourceType, referencePrefix(image.resourceType)])];
  const bare = types.map((type) => `${type}/${image.name}`);
  const paths = [...bare, ...[...bare, image.name].map((path) => `${workspace}/${path}`)];
  const digest = tag.startsWith('sha256-') ? `@${tag.replace('-', ':')}` : undefined;
  return [
    ...paths.map((path) => `${path}:${tag}`),
    ...(tag === defaultTag ? paths : []),
    // An image registered only by its digest can also be named by it.
    ...(digest === undefined ? [] : paths.map((path) => `${path}${digest}`)),
  ];
}

/** The newest image of that name, of any type. */
export async function findOfAnyType(
  database: Database,
  workspaceId: string,
  name: string,
): Promise<ResourceRow | undefined> {
  return database
    .selectFrom('resources')
    .select(resourceColumns)
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', imageKind)
    .where(
      'name',
      'in',
      imageResourceTypes.map((type) => storedName(type, name)),
    )
    .where(liveResource())
    .orderBy('created_at', 'desc')
    .orderBy('uid', 'desc')
    .limit(1)
    .executeTakeFirst();
}
