/**
 * `address`: nothing on the internet has this name or address. Unknown names and names of private addresses have the
 * same reason and message, so that a tenant cannot probe the operator's network. `answer`: it is too large to be read.
 */
export type OutwardReason = 'address' | 'timeout' | 'connection' | 'answer';

/** The request got no answer that could be read. The message is meant for the person who chose the address. */
export class OutwardError extends Error {
  readonly reason: OutwardReason;

  constructor(reason: OutwardReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OutwardError';
    this.reason = reason;
  }
}
