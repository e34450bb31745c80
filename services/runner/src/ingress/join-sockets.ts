import type { Duplex } from 'node:stream';

export interface Side {
  readonly socket: Duplex;
  /** Breaks it off so that its peer sees an error, and never takes half an answer for a whole one. */
  reset(): void;
}

/**
 * Bytes both ways, no faster than the slower side reads, until both have closed. One that ends its own half still hears the
 * other's; one that breaks off breaks the other off too.
 */
export async function joinSockets(left: Side, right: Side): Promise<void> {
  if (left.socket.destroyed || right.socket.destroyed) {
    left.reset();
    right.reset();
    return;
  }
  await Promise.all([pour(left, right), pour(right, left)]);
}

function pour({ socket }: Side, to: Side): Promise<void> {
  socket.pipe(to.socket);
  return new Promise((resolve) => {
    socket.once('close', () => {
      // Not at the end of a whole exchange: its other half may still be on its way to a slow reader.
      const isWhole = socket.errored === null && socket.readableEnded && socket.writableFinished;
      if (!isWhole) to.reset();
      resolve();
    });
  });
}
