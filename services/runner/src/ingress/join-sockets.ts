import type { Duplex } from 'node:stream';

export interface Side {
  readonly socket: Duplex;
  /** Aborts the connection so that the peer sees an error and never takes half an answer for a whole one. */
  reset(): void;
}

/**
 * Copies bytes both ways with back-pressure until both sides have closed. A side that ends its own half still
 * receives the other's; a side that breaks off breaks the other off too.
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
      // After a complete exchange the other side is not reset: its data may still be on its way to a slow reader.
      const isWhole = socket.errored === null && socket.readableEnded && socket.writableFinished;
      if (!isWhole) to.reset();
      resolve();
    });
  });
}
