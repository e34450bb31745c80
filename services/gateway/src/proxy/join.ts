import type { Duplex } from 'node:stream';
import type { Tally } from './outcome.ts';
import type { Patience } from './request-timer.ts';

export interface Joined {
  readonly client: Duplex;
  readonly upstream: Duplex;
  readonly tally: Tally;
  readonly patience: Patience;
  readonly settle: (error?: Error | null) => void;
  /** How long one side may stay silent after the other side has ended. */
  readonly lastWordsMs: number;
}

/**
 * Pipes bytes both ways with back-pressure. When one side ends, the other side may still send remaining data and is
 * then closed: many servers never close a connection whose client has left, and both sides would stay open until the
 * silence limit.
 */
export function join({ client, upstream, tally, patience, settle, lastWordsMs }: Joined): void {
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
  endTogether(client, upstream, lastWordsMs);
  endTogether(upstream, client, lastWordsMs);
  let open = 2;
  for (const side of [client, upstream])
    side.once('close', () => {
      open -= 1;
      if (open === 0) settle(upstream.errored);
    });
}

function endTogether(one: Duplex, other: Duplex, lastWordsMs: number): void {
  one.once('end', () => {
    const timer = setTimeout(() => {
      // The other side is still reading buffered data.
      if (other.writableLength > 0) timer.refresh();
      else other.destroy();
    }, lastWordsMs);
    other.on('data', () => timer.refresh()).once('close', () => clearTimeout(timer));
  });
  one.once('error', () => other.destroy());
  one.once('close', () => {
    // After a clean end, all data still reaches the other side.
    if (one.readableEnded) other.end();
    else other.destroy();
  });
}
