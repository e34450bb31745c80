import type { Duplex } from 'node:stream';
import type { Tally } from './outcome.ts';
import type { Patience } from './patience.ts';

export interface Joined {
  readonly client: Duplex;
  readonly upstream: Duplex;
  readonly tally: Tally;
  readonly patience: Patience;
  readonly settle: (error?: Error | null) => void;
}

/** Bytes pass both ways as fast as the slower side reads. The end of one side is the end of the other. */
export function join({ client, upstream, tally, patience, settle }: Joined): void {
  client.on('data', (chunk: Buffer) => {
    tally.bytesIn += chunk.length;
    patience.touch();
  });
  upstream.on('data', (chunk: Buffer) => {
    tally.bytesOut += chunk.length;
    patience.touch();
  });
  client.pipe(upstream);
  upstream.pipe(client);
  endTogether(client, upstream);
  endTogether(upstream, client);
  let open = 2;
  for (const side of [client, upstream])
    side.once('close', () => {
      open -= 1;
      if (open === 0) settle(upstream.errored);
    });
}

function endTogether(one: Duplex, other: Duplex): void {
  one.once('error', () => other.destroy());
  one.once('close', () => {
    // What it had said to its end still reaches the other side.
    if (one.readableEnded) other.end();
    else other.destroy();
  });
}
