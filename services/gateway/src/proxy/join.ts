import type { Duplex } from 'node:stream';
import type { Tally } from './outcome.ts';
import type { RequestTimer } from './request-timer.ts';

export interface Joined {
  readonly client: Duplex;
  readonly upstream: Duplex;
  readonly tally: Tally;
  readonly timer: RequestTimer;
  readonly settle: (error?: Error | null) => void;
  /** How long one side may stay silent after the other side has ended. */
  readonly halfClosedMs: number;
}

/**
 * Pipes bytes both ways with back-pressure. When one side ends, the other side may still send remaining data and is
 * then closed: many servers never close a connection whose client has left, and both sides would stay open until the
 * silence limit.
 */
export function join({ client, upstream, tally, timer, settle, halfClosedMs }: Joined): void {
  client.on('data', (chunk: Buffer) => {
    tally.bytesIn += chunk.length;
    timer.touch();
  });
  upstream.on('data', (chunk: Buffer) => {
    tally.bytesOut += chunk.length;
    timer.touch();
  });
  client.pipe(upstream);
  upstream.pipe(client);
  endTogether(client, upstream, halfClosedMs);
  endTogether(upstream, client, halfClosedMs);
  let open = 2;
  for (const side of [client, upstream])
    side.once('close', () => {
      open -= 1;
      if (open === 0) settle(upstream.errored);
    });
}

function endTogether(one: Duplex, other: Duplex, halfClosedMs: number): void {
  one.once('end', () => {
    const timer = setTimeout(() => {
      // The other side is still reading buffered data.
      if (other.writableLength > 0) timer.refresh();
      else other.destroy();
    }, halfClosedMs);
    other.on('data', () => timer.refresh()).once('close', () => clearTimeout(timer));
  });
  one.once('error', () => other.destroy());
  one.once('close', () => {
    // After a clean end, all data still reaches the other side.
    if (one.readableEnded) other.end();
    else other.destroy();
  });
}
