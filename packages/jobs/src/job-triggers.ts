import type { ExecutionTrigger, JsonObject } from '@berth/database';
import { callbackOf, type StoredTrigger } from '@berth/triggers';

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

export function jobTrigger(stored: StoredTrigger, type: ExecutionTrigger['type']): JobTrigger {
  const { id, configuration } = stored;
  const { tasks, retry, timeout } = configuration;
  const callback = callbackOf(stored);
  return {
    ...{ id, tasks, maxRetries: retry, timeoutSeconds: timeout },
    origin: { id, type, ...(callback === undefined ? {} : { callback }) },
  };
}
