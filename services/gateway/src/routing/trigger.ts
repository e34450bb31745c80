import type { TriggeredKind } from '@berth/contract';

/** Trigger with a path as the gateway caches it. */
export interface FoundTrigger {
  /** Uid of the resource. */
  readonly uid: string;
  readonly kind: TriggeredKind;
  /** Name of the resource. */
  readonly name: string;
  readonly workspaceId: string;
  readonly workspace: string;
  readonly triggerId: string;
  readonly path: string;
  readonly isPublic: boolean;
  /** Requests are accepted at once and performed afterwards. */
  readonly isAsync: boolean;
  /** Switch of the resource; a trigger that is disabled itself is not found. */
  readonly isEnabled: boolean;
}
