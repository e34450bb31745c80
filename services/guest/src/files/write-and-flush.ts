import type { ServerResponse } from 'node:http';

/** Resolves when the bytes have left the buffer; rejects when the caller has gone. */
export function writeAndFlush(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const left = () => reject(new Error('The caller left.'));
    if (response.destroyed) {
      left();
      return;
    }
    response.once('close', left);
    response.write(bytes, (error) => {
      response.off('close', left);
      if (error) reject(error);
      else resolve();
    });
  });
}
