// Images of a workspace; control-plane sheet 2.17.
import { z } from 'zod';
import { CoreEvent, Status } from './shared.ts';
import { ImageReference, LongText, ResourceName, Timestamp } from './text.ts';
import { Generation } from './workload.ts';

const time = Timestamp.optional();
const text = z.string().optional();

export const imageResourceTypes = ['agent', 'application', 'function', 'job', 'sandbox'] as const;

export const ImageInput = z
  .object({
    resourceType: z.enum(imageResourceTypes),
    name: ResourceName,
    generation: Generation.optional(),
    image: ImageReference.optional(),
    dockerConfig: LongText.optional().meta({ writeOnly: true }),
  })
  .meta({ id: 'ImageInput' });

export const ImageRegistered = z
  .object({
    message: z.string(),
    name: z.string(),
    resourceType: z.string(),
    image: text,
    build: z.boolean().optional(),
  })
  .meta({ id: 'ImageRegistered' });

export const Image = z
  .object({
    metadata: z.object({
      createdAt: time,
      displayName: text,
      events: z.array(CoreEvent).optional(),
      lastDeployedAt: time,
      name: z.string(),
      resourceType: z.string(),
      sourceWorkspace: text,
      status: Status.optional(),
      updatedAt: time,
      workspace: text,
    }),
    spec: z.object({
      size: z.int().optional(),
      tags: z
        .array(z.object({ createdAt: time, name: z.string(), size: z.int().optional(), updatedAt: time }))
        .optional(),
    }),
  })
  .meta({ id: 'Image' });
