import type { ServerResponse } from 'node:http';

/** Resolves when the next piece may be sent or the reader has left: back-pressure from the reader. */
export function sendChunk(response: ServerResponse, bytes: Buffer | string): Promise<void> | undefined {
  if (bytes.length === 0 || response.destroyed || response.write(bytes)) return undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve);
  response.once('close', resolve);
  return promise.finally(() => {
    response.off('drain', resolve);
    response.off('close', resolve);
  });
}
