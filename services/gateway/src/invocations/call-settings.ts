// Settings of an asynchronous call, as the spec of its agent has them when it is accepted.
import type { JsonObject, TriggerCallback } from '@berth/database';
import { callbackOf, StoredTriggers } from '@berth/triggers';

export interface CallSettings {
  /** Undefined for the settings of the agent's own address where no trigger has any. */
  readonly triggerId: string | undefined;
  /** The first run and its retries. */
  readonly maxRuns: number;
  readonly timeoutSeconds: number;
  readonly callback: TriggerCallback | undefined;
}

const maxSeconds = 900;

/**
 * Those of the trigger that was called. A call of the agent's own address has those of the first trigger of type http-async
 * that has no path: such a trigger has no other purpose.
 */
export function callSettings(spec: JsonObject, triggerId: string | undefined): CallSettings {
  const trigger = StoredTriggers.parse(spec).triggers.find(({ id, type, enabled, configuration }) =>
    triggerId === undefined ? type === 'http-async' && enabled && !configuration.path : id === triggerId,
  );
  const { retry = 0, timeout = maxSeconds } = trigger?.configuration ?? {};
  return {
    triggerId: trigger?.id,
    maxRuns: 1 + retry,
    timeoutSeconds: Math.min(timeout, maxSeconds),
    callback: trigger && callbackOf(trigger),
  };
}
