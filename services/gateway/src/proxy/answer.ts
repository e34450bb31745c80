import type { OutgoingHttpHeaders } from 'node:http';
import { discardRest } from './request-body.ts';
import type { Call } from './serve.ts';

export interface OwnAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders | string[];
  readonly body?: string;
}

/**
 * The gateway's own answer, whole and at once. A client that is still sending its body is heard out for a while before the
 * connection ends: one that is closed on unread bytes is reset, and the answer lost with it.
 */
export function answer(
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
  if (body === '') response.flushHeaders();
  else response.write(body);
  request.once('end', () => response.end());
  discardRest(request, lingerMs);
}
