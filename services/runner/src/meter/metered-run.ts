/** A run of a container that is billed. */
export interface MeteredRun {
  readonly memoryMb: number;
  /** Names one run of a container, for this process of the runner and the next. */
  readonly run: string;
  /** Host pid of its first process. With it, an interval does not grow after the end of that process. */
  readonly pid?: number | undefined;
}

export interface Beginning extends MeteredRun {
  /**
   * The run was found running by this process, rather than started or thawed by it. An interval of it goes on where it was
   * left.
   */
  readonly continues?: boolean;
  /** Start of the run, where it is known to be earlier than now. */
  readonly sinceMs?: number | undefined;
}

/** A run that is over, with its times by the clock of the deployment. */
export interface EndedRun extends MeteredRun {
  readonly fromMs: number;
  readonly toMs: number;
}
