/** The end of an execution, as its callback tells it. */
export interface EndedExecution {
  /** Id that the API shows. */
  readonly executionId: string;
  /** Null when the job was deleted before a task of the execution had started. */
  readonly job: string | null;
  readonly status: string;
  readonly stats: {
    readonly total: number;
    readonly success: number;
    readonly failure: number;
    readonly cancelled: number;
    readonly running: number;
    readonly retried: number;
  };
  readonly completedAt: Date;
}

/**
 * Body of a callback, control-plane sheet 4.4. An execution has no HTTP status of its own, so a receiver that looks at
 * `status_code` alone learns whether everything succeeded.
 */
export function callbackBody({ executionId, job, status, stats, completedAt }: EndedExecution): string {
  const response = JSON.stringify({ execution_id: executionId, job, status, stats });
  return JSON.stringify({
    status_code: status === 'succeeded' ? 200 : 500,
    response_body: response,
    response_length: Buffer.byteLength(response),
    timestamp: Math.floor(completedAt.getTime() / 1_000),
  });
}
