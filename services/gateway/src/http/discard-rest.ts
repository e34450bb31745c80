import type { IncomingMessage } from 'node:http';

/**
 * Reads and discards the rest of the body for a while after an early response. Closing a connection on unread bytes
 * causes a reset, and the client would lose the response.
 */
export function discardRest(request: IncomingMessage, lingerMs = 5_000): void {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => request.socket.destroy(), lingerMs);
  const stop = () => clearTimeout(timer);
  request.once('end', stop).once('close', stop);
  request.on('error', () => {});
  request.resume();
}
