/**
 * Requests to one workload through one gateway in one minute, counted so far. The rows of a minute replace each other: each
 * request adds one, so the row with the most requests is the newest.
 */
export interface RequestRow {
  readonly workspaceId: string;
  /** Plural, as in the path of the kind: `agents`. */
  readonly resourceType: string;
  readonly resourceUid: string;
  readonly workload: string;
  /** Start of the minute. */
  readonly minuteMs: number;
  /** One run of a gateway process: its counters begin at zero. */
  readonly gateway: string;
  readonly requests: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Histogram of the time until the end of the response, of all requests. */
  readonly durations: readonly number[];
  /** Histogram of the time until the head of the response, of the requests that the workload answered. */
  readonly firstBytes: readonly number[];
}
