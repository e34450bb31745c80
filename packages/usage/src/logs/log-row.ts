/** One line that an instance wrote, with where it belongs. `instanceId` and `sequence` say which line it is. */
export interface LogRow {
  readonly workspaceId: string;
  /** Plural, as in the address of the kind: `agents`. */
  readonly resourceType: string;
  readonly resourceUid: string;
  readonly workload: string;
  readonly revision: string;
  readonly instanceId: string;
  readonly sequence: number;
  /** Nanoseconds since 1970. */
  readonly timeNs: string;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}
