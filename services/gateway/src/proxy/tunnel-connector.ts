// To an instance on another machine: a tunnel through its runner. Tunnels share a few TLS connections to every runner, so that
// one costs neither a handshake nor the memory of one.
import { TunnelAnswer, type TunnelRequest } from '@berth/contract';
import type { Logger } from '@berth/telemetry';
import { parseLine } from '@berth/wire';
import type { Endpoint } from '../routing/route.ts';
import { type Connector, NotDispatched, RunnerAway } from './connector.ts';
import { RunnerLines } from './runner-lines.ts';

export interface TunnelConnectorOptions {
  /** The node authority's certificate: who does not show one of its own is not a runner. */
  readonly authorityPem: () => Promise<string>;
  /** From the first packet to the runner's answer. */
  readonly answerMs?: number;
  /** Many may wait for a runner that starts again; after a refusal it is not called on for so long. */
  readonly refusedMs?: number;
  readonly logger: Logger;
}

export function createTunnelConnector(options: TunnelConnectorOptions): Connector {
  const { authorityPem, answerMs = 5_000, refusedMs = 100, logger } = options;
  const lines = new RunnerLines({ authorityPem, answerMs, refusedMs, logger });

  return {
    async connect(endpoint, signal) {
      const bundle = await lines.to(endpoint);
      const { channel, answer } = bundle.open(JSON.stringify({ instance: endpoint.instance } satisfies TunnelRequest));
      // An error that nobody waits for any more must not end the process.
      channel.on('error', () => {});
      const giveUp = () => void channel.destroy();
      const timer = setTimeout(giveUp, answerMs);
      signal?.addEventListener('abort', giveUp, { once: true });
      if (signal?.aborted) giveUp();
      const said = parseLine(await answer, TunnelAnswer)?.tunnel;
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
      if (said === 'open' && !channel.destroyed) return channel;
      channel.destroy();
      if (said === 'leaving') throw new RunnerAway({});
      throw new NotDispatched(
        said === 'unknown' || said === 'refused' ? said : 'unreachable',
        reasonOf(said, endpoint),
      );
    },
    close: async () => lines.close(),
  };
}

const reasonOf = (said: string | undefined, { instance }: Endpoint): string =>
  `the runner of ${instance} says ${said ?? 'nothing of use'}`;
