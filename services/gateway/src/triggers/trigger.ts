/** Trigger of a job as the gateway caches it. */
export interface FoundTrigger {
  /** Uid of the job. */
  readonly uid: string;
  readonly kind: 'job';
  /** Name of the job. */
  readonly name: string;
  readonly workspaceId: string;
  readonly workspace: string;
  readonly triggerId: string;
  readonly path: string;
  readonly isPublic: boolean;
  /** Switch of the job; a trigger that is disabled itself is not found. */
  readonly isEnabled: boolean;
}
