import { pathTriggerTypes, plainTriggerPath, type TriggeredKind, triggerPathFault } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import { type StoredTrigger, StoredTriggers } from './stored-triggers.ts';

export interface PathTrigger {
  readonly stored: StoredTrigger;
  /** In its plain form. */
  readonly path: string;
  /** Switch of the trigger itself; its resource has another. */
  readonly isEnabled: boolean;
  /** Asks for no credential. */
  readonly isPublic: boolean;
  /** Requests are accepted at once and performed afterwards. */
  readonly isAsync: boolean;
}

/** A trigger without a usable path is left out; only specs from before paths were checked have unusable ones. */
export function pathTriggersOf(kind: TriggeredKind, spec: JsonObject): PathTrigger[] {
  const types: readonly string[] = pathTriggerTypes[kind];
  return StoredTriggers.parse(spec).triggers.flatMap((stored) => {
    const { path: written, authenticationType } = stored.configuration;
    const path = plainTriggerPath(written ?? '');
    if (!types.includes(stored.type) || triggerPathFault(path) !== undefined) return [];
    const isPublic = authenticationType === 'public';
    return [{ stored, path, isEnabled: stored.enabled, isPublic, isAsync: stored.type === 'http-async' }];
  });
}
