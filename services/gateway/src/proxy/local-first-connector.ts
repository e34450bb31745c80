import type { Connector } from './connector.ts';
import type { LocalConnector } from './local-connector.ts';

/** Connects straight to the container where possible, otherwise through its runner. */
export function createLocalFirstConnector(local: LocalConnector | undefined, tunnel: Connector): Connector {
  if (local === undefined) return tunnel;
  return {
    async connect(endpoint, signal) {
      return (await local.connect(endpoint, signal)) ?? (await tunnel.connect(endpoint, signal));
    },
    async close() {
      await Promise.all([local.close(), tunnel.close()]);
    },
  };
}
