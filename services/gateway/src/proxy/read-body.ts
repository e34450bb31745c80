// Reads a whole request body into memory, within bounds of size and time.
import { GatewayError } from '../errors/gateway-error.ts';
import type { Call } from '../http/gateway-server.ts';
import { ClientGone, hasBody } from './request-body.ts';

interface BodyBounds {
  readonly maxBytes: number;
  readonly maxMs: number;
  readonly tooLarge: () => GatewayError;
}

/** Rejects with ClientGone when the client leaves within its body. */
export async function readBody(
  { request, response }: Call,
  { maxBytes, maxMs, tooLarge }: BodyBounds,
): Promise<Buffer> {
  if (!hasBody(request)) return Buffer.alloc(0);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  if (request.headers.expect !== undefined) response.writeContinue();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > maxBytes) reject(tooLarge());
    else chunks.push(chunk);
  };
  const onEnd = (): void => resolve(Buffer.concat(chunks));
  // A request closes right after its end too, and an error with its stack trace would cost more than the rest.
  const onClose = (): void => {
    if (!request.complete) reject(new ClientGone('the client went away within its body'));
  };
  const timer = setTimeout(() => reject(new GatewayError('REQUEST_TIMEOUT')), maxMs);
  request.on('data', onData).once('end', onEnd).once('close', onClose);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    request.off('data', onData).off('end', onEnd).off('close', onClose);
  }
}
