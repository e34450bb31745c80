// Connects to an instance on another machine, by a tunnel through its runner. Tunnels share a few TLS connections to
// each runner, so that a tunnel needs no handshake and little memory.
import { TunnelAnswer, type TunnelRequest } from '@berth/contract/node';
import type { Logger } from '@berth/telemetry';
import { type Credentials, NotDispatched, parseLine, RunnerAway, RunnerConnections } from '@berth/wire';
import type { Endpoint } from '../workloads/workload.ts';
import { type Connector, PortClosed } from './connector.ts';

export interface TunnelConnectorOptions {
  readonly credentials: Credentials;
  /** Time limit from the first packet to the runner's answer. */
  readonly answerMs?: number;
  /**
   * Time limit like `answerMs`, for an instance that may have to wake first: a runner short of memory needs longer
   * (sandbox sheet R-60).
   */
  readonly wakeMs?: number;
  /**
   * Pause after a refused connection before the runner is dialled again: many requests may wait for a restarting
   * runner.
   */
  readonly refusedMs?: number;
  readonly logger: Logger;
}

export function createTunnelConnector(options: TunnelConnectorOptions): Connector {
  const { credentials, answerMs = 5_000, wakeMs = 60_000, refusedMs = 100, logger } = options;
  const lines = new RunnerConnections({ credentials, answerMs, refusedMs, logger });

  return {
    async connect(endpoint, signal) {
      const bundle = await lines.connectionTo(endpoint);
      const { instance, port } = endpoint;
      const { channel, answer } = bundle.open(JSON.stringify({ instance, port } satisfies TunnelRequest));
      // A late error must not end the process.
      channel.on('error', () => {});
      const giveUp = () => void channel.destroy();
      const timer = setTimeout(giveUp, endpoint.canSleep ? wakeMs : answerMs);
      signal?.addEventListener('abort', giveUp, { once: true });
      if (signal?.aborted) giveUp();
      const said = parseLine(await answer, TunnelAnswer);
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      if (said?.tunnel === 'open' && !channel.destroyed) return channel;
      channel.destroy();
      throw refusalOf(said, endpoint);
    },
    close: async () => lines.close(),
  };
}

function refusalOf(said: TunnelAnswer | undefined, { instance }: Endpoint): NotDispatched {
  const message = `the runner of ${instance} says ${said?.tunnel ?? 'nothing of use'}`;
  if (said?.tunnel === 'leaving') return new RunnerAway({});
  if (said?.tunnel === 'unreachable') return new PortClosed(message);
  if (said?.tunnel === 'busy') return new NotDispatched('busy', message, { retryAfterSeconds: said.retryAfterSeconds });
  return new NotDispatched(
    said?.tunnel === 'unknown' || said?.tunnel === 'refused' ? said.tunnel : 'unreachable',
    message,
  );
}
