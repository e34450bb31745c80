import type { JsonObject } from '@berth/database';
import { StoredTriggers } from '@berth/triggers';
import { type JobTrigger, jobTrigger } from './job-triggers.ts';

export interface CronTrigger extends JobTrigger {
  readonly schedule: string;
  /** False where the trigger or its job is disabled. */
  readonly isEnabled: boolean;
}

/** A trigger without a schedule never fires; only specs from before schedules were required have such triggers. */
export function cronTriggersOf(jobSpec: JsonObject): CronTrigger[] {
  const { enabled, triggers } = StoredTriggers.parse(jobSpec);
  return triggers.flatMap((trigger) => {
    const { schedule } = trigger.configuration;
    if (trigger.type !== 'cron' || schedule === undefined) return [];
    return [{ ...jobTrigger(trigger, 'cron'), schedule, isEnabled: enabled && trigger.enabled }];
  });
}
