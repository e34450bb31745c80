import { Histogram, type Registry } from '@berth/telemetry';
import { NotDispatched } from '@berth/wire';
import type { Connector } from './connector.ts';

/** Wraps a connector and measures how long a sandbox takes to accept a connection, since this includes its wake. */
export function measureOpenings(connector: Connector, registry: Registry): Connector {
  const seconds = new Histogram({
    name: 'berth_gateway_sandbox_open_seconds',
    help: 'Time to open a connection to a sandbox, including its wake, by result.',
    labelNames: ['result'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [registry],
  });
  return {
    close: () => connector.close(),
    async connect(endpoint, signal) {
      if (!endpoint.canSleep) return connector.connect(endpoint, signal);
      const done = seconds.startTimer();
      try {
        const stream = await connector.connect(endpoint, signal);
        done({ result: 'open' });
        return stream;
      } catch (error) {
        done({ result: error instanceof NotDispatched ? error.reason : 'failed' });
        throw error;
      }
    },
  };
}
