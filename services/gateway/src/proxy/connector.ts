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

/** The runner itself takes no connections, so none of its instances can be reached anew: it stops, or has ended. */
export class RunnerAway extends NotDispatched {
  constructor(options: ErrorOptions) {
    super('unreachable', 'the runner takes no connections', options);
  }
}

export interface Connector {
  /** A connection to the instance's port, ready for HTTP. Throws `NotDispatched`. */
  connect(endpoint: Endpoint, signal?: AbortSignal): Promise<Duplex>;
  close(): Promise<void>;
}
