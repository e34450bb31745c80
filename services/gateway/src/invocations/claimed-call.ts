/** A call that this process performs, until its lease ends. */
export interface ClaimedCall {
  readonly id: string;
  /** Names the claim: a later one has another, so nothing of an earlier one is recorded. */
  readonly claimId: string;
  readonly workspaceId: string;
  readonly resourceUid: string;
  readonly resourceName: string;
  readonly keyId: string | null;
  readonly isByMember: boolean;
  readonly method: string;
  readonly path: string;
  readonly timeoutSeconds: number;
  readonly maxRuns: number;
  /** Runs that have begun. */
  readonly runs: number;
  /** A process ended within the last run. */
  readonly wasRunning: boolean;
  /** Time since the call was accepted. */
  readonly ageMs: number;
  /** Time for which this run was due. */
  readonly waitedMs: number;
}

/** What the agent receives. */
export interface CallPayload {
  readonly headers: readonly string[];
  readonly body: Buffer;
}
