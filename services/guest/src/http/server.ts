// One request through the guest: headers, route, handler, one place that turns errors into answers, one log line.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { bytesPerMb, guestRoutes } from '@berth/contract/guest';
import { callerOf } from '../caller.ts';
import type { Guest } from '../guest.ts';
import { handlers } from '../handlers.ts';
import { answerJson } from './answer.ts';
import type { Call } from './call.ts';
import { drain } from './drain.ts';
import { Fault } from './fault.ts';
import { commonHeaders } from './headers.ts';
import { matchRoute } from './match-route.ts';
import { timedResponse } from './timed-response.ts';

// Streams may last without a limit: only the time until the end of the headers and between two requests is bounded.
const headersTimeoutMs = 30_000;
const keepAliveTimeoutMs = 120_000;
const maxHeaderBytes = bytesPerMb;

export function createGuestServer(guest: Guest): Server {
  const common = Object.entries(commonHeaders(guest.settings));
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    requestTimeout: 0,
    ServerResponse: timedResponse(guest.settings.brand),
    // Other upgrade offers, such as h2c of some clients, are ignored: the request is answered as plain HTTP.
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
  });
  server.on('request', (request, response) => {
    for (const [name, value] of common) response.setHeader(name, value);
    void serve(guest, request, response);
  });
  server.on('upgrade', (request, socket, head) => void upgrade(guest, request, socket, head));
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  return server;
}

async function serve(guest: Guest, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const startedAt = performance.now();
  const sentBefore = request.socket.bytesWritten;
  const call = callOf(guest, request, response);
  // Control calls of the runner do not count: the runner asks whether any other request is open.
  const finished = rawPathOf(request).startsWith('/control/') ? () => undefined : guest.activity.begin();
  response.once('close', () => {
    finished();
    if (guest.settings.requestLogDisabled) return;
    guest.log.access(call, performance.now() - startedAt, request.socket.bytesWritten - sentBefore);
  });
  response.on('error', () => undefined);
  try {
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    await handle(call);
  } catch (error) {
    if (!response.headersSent) await drain(request);
    answerError(call, error);
  }
}

async function handle(call: Call): Promise<void> {
  const method = call.request.method === 'HEAD' ? 'GET' : (call.request.method ?? 'GET');
  const match = matchRoute(guestRoutes, method, rawPathOf(call.request));
  if ('other' in match) throw noSuchRoute(call, match.other);
  const load = handlers[match.route.id];
  if (load === undefined) throw new Fault(501, `${match.route.id} is not served by this guest.`);
  const handler = await load();
  await handler({ ...call, params: match.params, rest: match.rest });
}

function noSuchRoute({ request }: Call, other: readonly string[]): Fault {
  const path = rawPathOf(request).slice(0, 200);
  if (other.length === 0)
    return new Fault(404, `There is no route ${request.method} ${path}. GET /swagger lists them.`);
  const allow = [...new Set(other)].join(', ');
  return new Fault(405, `${path} does not take ${request.method}; it takes ${allow}.`, { headers: { Allow: allow } });
}

function answerError(call: Call, error: unknown): void {
  const { response } = call;
  const fault = error instanceof Fault ? error : undefined;
  if (fault === undefined && !response.destroyed) call.guest.log.failure(call, error);
  if (response.headersSent || response.destroyed) {
    // A partial answer must not look complete.
    response.destroy();
    return;
  }
  for (const [name, value] of Object.entries(fault?.headers ?? {})) response.setHeader(name, value);
  // The unread rest of the body would be taken for the next request.
  if (!call.request.complete) response.setHeader('Connection', 'close');
  const message = fault?.message || 'The guest failed at this. Its log holds the reason under the request id.';
  answerJson(call, { error: message }, fault?.status ?? 500);
}

async function upgrade(guest: Guest, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
  socket.on('error', () => socket.destroy());
  const finished = guest.activity.begin();
  socket.once('close', finished);
  if (rawPathOf(request) !== '/terminal/ws' || guest.settings.terminalDisabled) {
    socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    return;
  }
  const { openTerminal } = await import('../terminal/open-terminal.ts');
  await openTerminal({
    guest,
    request,
    socket,
    head,
    query: queryOf(request),
    caller: callerOf(request, guest.settings.brand.long, randomUUID),
  });
}

function callOf(guest: Guest, request: IncomingMessage, response: ServerResponse): Call {
  return {
    guest,
    request,
    response,
    params: {},
    rest: '',
    query: queryOf(request),
    headOnly: request.method === 'HEAD',
    caller: callerOf(request, guest.settings.brand.long, randomUUID),
  };
}

function rawPathOf({ url = '/' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

function queryOf({ url = '/' }: IncomingMessage): URLSearchParams {
  const end = url.indexOf('?');
  return new URLSearchParams(end < 0 ? '' : url.slice(end + 1));
}
