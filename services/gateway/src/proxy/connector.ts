// Opens connections to an instance: through its runner's tunnel, or straight to its container on the same machine.
import type { Duplex } from 'node:stream';
import { NotDispatched } from '@berth/wire';
import type { Endpoint } from '../workloads/workload.ts';

export interface Connector {
  /** Connects to the instance's port, ready for HTTP. Throws `NotDispatched`. */
  connect(endpoint: Endpoint, signal?: AbortSignal): Promise<Duplex>;
  close(): Promise<void>;
}

/** The runner confirms that the instance exists, but nothing accepts connections on its port. */
export class PortClosed extends NotDispatched {
  constructor(message: string, options: ErrorOptions = {}) {
    super('unreachable', message, options);
  }
}
