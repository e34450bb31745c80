// Triggers of type cron in a stored job. The api validated the spec when it was written.
import type { ExecutionTrigger, JsonObject } from '@berth/database';
import { z } from 'zod';

const Trigger = z.object({
  id: z.string(),
  type: z.string(),
  enabled: z.boolean().default(true),
  configuration: z
    .object({
      schedule: z.string().optional(),
      tasks: z.array(z.record(z.string(), z.unknown())).default([]),
      retry: z.int().optional(),
      timeout: z.int().optional(),
      callbackUrl: z.string().optional(),
      callbackSecret: z.object({ $sealed: z.string() }).optional(),
    })
    .prefault({}),
});

const JobTriggers = z.object({ enabled: z.boolean().default(true), triggers: z.array(Trigger).default([]) });

export interface CronTrigger {
  readonly id: string;
  readonly schedule: string;
  /** False where the trigger or its job is disabled. */
  readonly isEnabled: boolean;
  readonly tasks: readonly JsonObject[];
  /** Overrides the job's number of retries. */
  readonly maxRetries: number | undefined;
  /** Overrides the job's timeout. */
  readonly timeoutSeconds: number | undefined;
  /** Copied into each execution that the trigger starts. */
  readonly origin: ExecutionTrigger;
}

/** A trigger without a schedule never fires; only specs from before schedules were required have such triggers. */
export function cronTriggersOf(jobSpec: JsonObject): CronTrigger[] {
  const { enabled, triggers } = JobTriggers.parse(jobSpec);
  return triggers.flatMap((trigger) => {
    const { schedule, tasks, retry, timeout } = trigger.configuration;
    if (trigger.type !== 'cron' || schedule === undefined) return [];
    return [
      {
        id: trigger.id,
        schedule,
        isEnabled: enabled && trigger.enabled,
        tasks,
        maxRetries: retry,
        timeoutSeconds: timeout,
        origin: originOf(trigger),
      },
    ];
  });
}

function originOf({ id, configuration: { callbackUrl, callbackSecret } }: z.infer<typeof Trigger>): ExecutionTrigger {
  if (callbackUrl === undefined || callbackSecret === undefined) return { id, type: 'cron' };
  return { id, type: 'cron', callback: { url: callbackUrl, secret: callbackSecret } };
}
