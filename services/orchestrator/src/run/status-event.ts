/** An event with the status that the resource has after it. */
export interface StatusEvent {
  readonly type: 'deployment' | 'deactivation' | 'infrastructure';
  readonly status: string;
  readonly message: string;
  readonly revision?: string | undefined;
}
