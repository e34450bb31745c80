// Triggers in a stored resource. The api validated the spec when it was written.
import type { TriggerCallback } from '@berth/database';
import { z } from 'zod';

const StoredTrigger = z.object({
  id: z.string(),
  type: z.string(),
  enabled: z.boolean().default(true),
  configuration: z
    .object({
      schedule: z.string().optional(),
      path: z.string().optional(),
      authenticationType: z.string().optional(),
      tasks: z.array(z.record(z.string(), z.unknown())).default([]),
      retry: z.int().optional(),
      timeout: z.int().optional(),
      callbackUrl: z.string().optional(),
      callbackSecret: z.object({ $sealed: z.string() }).optional(),
    })
    .prefault({}),
});
export type StoredTrigger = z.infer<typeof StoredTrigger>;

export const StoredTriggers = z.object({
  enabled: z.boolean().default(true),
  triggers: z.array(StoredTrigger).default([]),
});

export function callbackOf({ configuration }: StoredTrigger): TriggerCallback | undefined {
  const { callbackUrl: url, callbackSecret: secret } = configuration;
  return url === undefined || secret === undefined ? undefined : { url, secret };
}
