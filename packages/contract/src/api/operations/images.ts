// Images of the workspace; control-plane sheet 1.16. Sharing is in pending.ts.
import { z } from 'zod';
import { member } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { Image, ImageInput, ImageRegistered } from '../schema/image.ts';
import { QueryBoolean, WorkspaceQuery } from '../schema/query.ts';

const tag = 'Images';

export const listImages = defineOperation({
  ...at('/images'),
  id: 'listImages',
  method: 'GET',
  tag,
  summary: 'List the images of the workspace',
  access: member('images:list'),
  query: WorkspaceQuery,
  answer: z.array(Image),
});

export const createImage = defineOperation({
  ...at('/images'),
  id: 'createImage',
  method: 'POST',
  tag,
  summary: 'Register an image of an outside registry',
  access: member('images:create'),
  query: WorkspaceQuery.extend({ upload: QueryBoolean.optional(), 'skip-build': QueryBoolean.optional() }),
  body: ImageInput,
  answer: ImageRegistered,
  audit: 'image.create',
});

export const deleteUnusedImages = defineOperation({
  ...at('/images'),
  id: 'deleteUnusedImages',
  method: 'DELETE',
  tag,
  summary: 'Delete the images that no workload refers to',
  access: member('images:delete'),
  query: WorkspaceQuery,
  answer: z.object({ deleted: z.int(), message: z.string() }),
  audit: 'image.delete-unused',
});

export const getImage = defineOperation({
  ...at('/images/{resourceType}/{imageName}'),
  id: 'getImage',
  method: 'GET',
  tag,
  summary: 'Read one image with its tags; `_` stands for any type',
  access: member('images:get'),
  query: WorkspaceQuery,
  answer: Image,
});

export const deleteImage = defineOperation({
  ...at('/images/{resourceType}/{imageName}'),
  id: 'deleteImage',
  method: 'DELETE',
  tag,
  summary: 'Delete an image with all its tags',
  access: member('images:delete'),
  query: WorkspaceQuery,
  answer: Image,
  audit: 'image.delete',
});

export const deleteImageTag = defineOperation({
  ...at('/images/{resourceType}/{imageName}/tags/{tagName}'),
  id: 'deleteImageTag',
  method: 'DELETE',
  tag,
  summary: 'Delete one tag of an image',
  access: member('images:delete'),
  query: WorkspaceQuery,
  answer: Image,
  audit: 'image.delete-tag',
});
