import type { IncomingMessage } from 'node:http';
import { bytesPerMb } from '@berth/contract/guest';

const maxDrainBytes = 64 * bytesPerMb;
const maxDrainMs = 10_000;

/**
 * Reads the rest of a refused request, within bounds: an answer is lost if it is sent while the caller still writes.
 */
export async function drain(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  let bytes = 0;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, maxDrainMs);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxDrainBytes) end();
    });
    request.once('end', end).once('close', end).once('error', end);
    request.resume();
  });
}
