// How bytes reach an instance: through its runner's tunnel, or straight to its container on the same machine.
import type { Duplex } from 'node:stream';
import type { Endpoint } from '../routing/route.ts';

/** Nothing of the request has reached the workload: another instance may be tried, or the client may try again. */
export class NotDispatched extends Error {
  readonly reason: 'unknown' | 'refused' | 'unreachable';
  constructor(reason: NotDispatched['reason'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export interface Connector {
  /** A connection to the instance's port, ready for HTTP. Throws `NotDispatched`. */
  connect(endpoint: Endpoint, signal?: AbortSignal): Promise<Duplex>;
  close(): Promise<void>;
}
