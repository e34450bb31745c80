import { plainTriggerPath, triggerPathFault } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import { type JobTrigger, jobTrigger, StoredTriggers } from './job-triggers.ts';

export interface HttpTrigger extends JobTrigger {
  /** In its plain form. */
  readonly path: string;
  /** Switch of the trigger itself; its job has another. */
  readonly isEnabled: boolean;
  /** Anyone may start an execution. */
  readonly isPublic: boolean;
}

/** A trigger without a usable path is left out; only specs from before paths were checked have such triggers. */
export function httpTriggersOf(jobSpec: JsonObject): HttpTrigger[] {
  return StoredTriggers.parse(jobSpec).triggers.flatMap((trigger) => {
    const path = plainTriggerPath(trigger.configuration.path ?? '');
    if (trigger.type !== 'http' || triggerPathFault(path) !== undefined) return [];
    const isPublic = trigger.configuration.authenticationType === 'public';
    return [{ ...jobTrigger(trigger, 'http'), path, isEnabled: trigger.enabled, isPublic }];
  });
}
