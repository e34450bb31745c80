/** A message that the engine has not acknowledged. */
export class SendFailed extends Error {
  override readonly name = 'SendFailed';
  /** Undefined when there was no answer at all. */
  readonly status: number | undefined;

  constructor(status: number | undefined, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }

  /**
   * True when the engine refuses this one message (unknown handler, invalid key). Otherwise the engine is unavailable.
   */
  get isRefusal(): boolean {
    return this.status !== undefined && this.status >= 400 && this.status < 500 && this.status !== 429;
  }

  static from(error: unknown): SendFailed {
    if (error instanceof SendFailed) return error;
    return new SendFailed(undefined, 'The engine does not answer.', { cause: error });
  }
}
