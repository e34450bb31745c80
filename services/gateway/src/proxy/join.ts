import type { Duplex } from 'node:stream';
import type { Tally } from './outcome.ts';
import type { Patience } from './patience.ts';

export interface Joined {
  readonly client: Duplex;
  readonly upstream: Duplex;
  readonly tally: Tally;
  readonly patience: Patience;
  readonly settle: (error?: Error | null) => void;
  /** How long one side may be silent after the other has said its last. */
  readonly lastWordsMs: number;
}

/**
 * Bytes pass both ways as fast as the slower side reads. The end of one side is the end of the other, which may say its last words: many
 * a server never closes a connection whose client has left, and both would stay until the limit of silence.
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
      // It still reads what was said to it.
      if (other.writableLength > 0) timer.refresh();
      else other.destroy();
    }, lastWordsMs);
    other.on('data', () => timer.refresh()).once('close', () => clearTimeout(timer));
  });
  one.once('error', () => other.destroy());
  one.once('close', () => {
    // What it had said to its end still reaches the other side.
    if (one.readableEnded) other.end();
    else other.destroy();
  });
}
