/** A message that the engine has not acknowledged. */
export class SendFailed extends Error {
  override readonly name = 'SendFailed';
  /** Absent when there was no answer at all. */
  readonly status: number | undefined;

  constructor(status: number | undefined, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }

  /** About this one message (no such handler, a key that cannot be one); anything else says that the engine is away. */
  get isRefusal(): boolean {
    return this.status !== undefined && this.status >= 400 && this.status < 500 && this.status !== 429;
  }

  static from(error: unknown): SendFailed {
    if (error instanceof SendFailed) return error;
    return new SendFailed(undefined, 'The engine does not answer.', { cause: error });
  }
}
