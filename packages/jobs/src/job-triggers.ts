// Triggers in a stored job. The api validated the spec when it was written.
import type { ExecutionTrigger, JsonObject } from '@berth/database';
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
type StoredTrigger = z.infer<typeof StoredTrigger>;

export const StoredTriggers = z.object({
  enabled: z.boolean().default(true),
  triggers: z.array(StoredTrigger).default([]),
});

/** Settings that an execution takes from the trigger that starts it. */
export interface JobTrigger {
  readonly id: string;
  readonly tasks: readonly JsonObject[];
  /** Overrides the job's number of retries. */
  readonly maxRetries: number | undefined;
  /** Overrides the job's timeout. */
  readonly timeoutSeconds: number | undefined;
  /** Copied into each execution that the trigger starts. */
  readonly origin: ExecutionTrigger;
}

export function jobTrigger({ id, configuration }: StoredTrigger, type: ExecutionTrigger['type']): JobTrigger {
  const { tasks, retry, timeout, callbackUrl, callbackSecret } = configuration;
  const callback =
    callbackUrl === undefined || callbackSecret === undefined
      ? {}
      : { callback: { url: callbackUrl, secret: callbackSecret } };
  return { id, tasks, maxRetries: retry, timeoutSeconds: timeout, origin: { id, type, ...callback } };
}
