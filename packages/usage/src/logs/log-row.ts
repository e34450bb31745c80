/** One line of an instance's output, with its workload. `instanceId` and `sequence` identify the line. */
export interface LogRow {
  readonly workspaceId: string;
  /** Plural, as in the path of the kind: `agents`. */
  readonly resourceType: string;
  readonly resourceUid: string;
  readonly workload: string;
  readonly revision: string;
  readonly instanceId: string;
  /** Set for an attempt of a task of a job. */
  readonly task?: { readonly executionId: string; readonly index: number } | undefined;
  readonly sequence: number;
  /** Nanoseconds since 1970. */
  readonly timeNs: string;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}
