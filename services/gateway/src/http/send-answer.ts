import type { OutgoingHttpHeaders } from 'node:http';
import { discardRest } from './discard-rest.ts';
import type { Call } from './gateway-server.ts';

export interface OwnAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders | string[];
  readonly body?: string | Buffer;
}

/**
 * Sends a complete response of the gateway itself. While the client still sends its body, the gateway reads on for a
 * while before it closes the connection: closing on unread bytes causes a reset, and the client would lose the
 * response.
 */
export function sendAnswer(
  { request, response }: Pick<Call, 'request' | 'response'>,
  { status, headers, body = '' }: OwnAnswer,
  lingerMs?: number,
): void {
  if (request.complete) {
    response.writeHead(status, headers).end(body);
    return;
  }
  response.shouldKeepAlive = false;
  response.writeHead(status, headers);
  if (body.length === 0) response.flushHeaders();
  else response.write(body);
  request.once('end', () => response.end());
  discardRest(request, lingerMs);
}
