// The listener for clients: strict about what it reads, patient with uploads, and able to leave without cutting anybody off.
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { within } from '@berth/pace';
import type { Logger } from '@berth/telemetry';
import { isPlainlyFramed } from './framing.ts';

export type RefusalStatus = 400 | 408 | 431 | 500;

export interface Refusal {
  readonly headers: readonly string[];
  readonly body: string;
}

/** `upgrade` is there when the client asks to speak another protocol; `response` still answers when it may not. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upgrade: { readonly socket: Socket; readonly head: Buffer } | undefined;
}

export interface GatewayServerOptions {
  readonly handle: (call: Call) => Promise<void>;
  /** The platform's error body for what never becomes a request. */
  readonly refusal: (status: RefusalStatus) => Refusal;
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer } | undefined;
  readonly maxHeaderBytes: number;
  readonly headersTimeoutMs: number;
  readonly keepAliveMs: number;
  readonly logger: Logger;
}

export interface GatewayServer {
  readonly server: Server;
  listen(port: number, host: string): Promise<AddressInfo>;
  /** Stops accepting, lets what is under way finish within the deadline, then closes the rest. */
  stop(deadlineMs: number): Promise<void>;
}

export function createGatewayServer(options: GatewayServerOptions): GatewayServer {
  const { handle, refusal, tls, logger } = options;
  const open = new Set<ServerResponse>();
  const connected = new Set<Socket>();
  const upgraded = new Set<Socket>();
  const latest = new WeakMap<Duplex, ServerResponse>();
  let isDraining = false;

  const settings = {
    insecureHTTPParser: false,
    requireHostHeader: true,
    maxHeaderSize: options.maxHeaderBytes,
    headersTimeout: options.headersTimeoutMs,
    // An upload may take as long as it moves: the forwarder keeps its time.
    requestTimeout: 0,
    keepAliveTimeout: options.keepAliveMs,
    connectionsCheckingInterval: Math.min(30_000, options.headersTimeoutMs),
    noDelay: true,
    shouldUpgradeCallback: wantsUpgrade,
    // What has no body is no stream either, and most requests have none.
    optimizeEmptyRequests: true,
  };
  const server = tls === undefined ? createServer(settings) : createTlsServer({ ...settings, ...tls });
  server.maxRequestsPerSocket = 0;

  /** One for all of them: a function of its own for every request is work for the collector. */
  function forget(this: ServerResponse): void {
    open.delete(this);
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    open.add(response);
    latest.set(request.socket, response);
    response.on('close', forget);
    if (isDraining) response.shouldKeepAlive = false;
    if (isPlainlyFramed(request.rawHeaders)) run({ request, response, upgrade: undefined });
    else refuse(response, 400);
  }

  function onUpgrade(request: IncomingMessage, _: Duplex, head: Buffer): void {
    const { socket } = request;
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket)).on('error', () => {});
    const response = responseOn(request, socket);
    if (isPlainlyFramed(request.rawHeaders)) run({ request, response, upgrade: { socket, head } });
    else refuse(response, 400);
  }

  function run(call: Call): void {
    handle(call).catch((error: unknown) => {
      logger.error({ err: error }, 'a request failed unforeseen');
      if (call.response.headersSent) call.response.destroy();
      else refuse(call.response, 500);
    });
  }

  function refuse(response: ServerResponse, status: RefusalStatus): void {
    const { headers, body } = refusal(status);
    response.shouldKeepAlive = false;
    response.writeHead(status, [...headers, 'Content-Length', String(Buffer.byteLength(body))]);
    response.end(body);
  }

  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    connected.add(socket);
    socket.once('close', () => connected.delete(socket));
  });
  server.on('request', onRequest);
  // The forwarder says `100 Continue` when somebody is there to take the body.
  server.on('checkContinue', onRequest);
  server.on('upgrade', onUpgrade);
  server.on('clientError', (error: Error, socket: Duplex) => {
    const response = latest.get(socket);
    // Within or after an answer that ends the connection, another answer would be read as part of it.
    const hasSpoken = response?.headersSent === true && !(response.closed && response.shouldKeepAlive);
    if (hasSpoken) socket.destroy();
    else refuseUnread(socket, error, refusal);
  });

  return {
    server,
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          const address = server.address();
          if (address !== null && typeof address === 'object') resolve(address);
        });
      }),
    async stop(deadlineMs) {
      isDraining = true;
      for (const response of open) if (!response.headersSent) response.shouldKeepAlive = false;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // To Node a connection that has not asked for anything yet is not idle.
      for (const socket of connected) if (!latest.has(socket) && !upgraded.has(socket)) socket.destroy();
      const gone = [...upgraded].map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())));
      await within(deadlineMs, Promise.all([closed, ...gone]));
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      await closed;
    },
  };
}

/** Some clients offer HTTP/2 on every request and expect to be ignored; a request with a body is one, whatever it offers. */
function wantsUpgrade({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0') return false;
  return !/\bh2c\b/i.test(headers.upgrade ?? '');
}

/** Node gives no response for an upgrade, yet most of what can be said to one is an ordinary answer. */
function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  const onDrain = () => response.emit('drain');
  socket.on('drain', onDrain);
  response.once('close', () => socket.off('drain', onDrain));
  response.once('finish', () => socket.end());
  return response;
}

function refuseUnread(socket: Duplex, error: Error, refusal: GatewayServerOptions['refusal']): void {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const reason = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' }[status];
  const { headers, body } = refusal(status);
  const lines = headers.map((item, at) => (at % 2 === 0 ? `${item}: ` : `${item}\r\n`)).join('');
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`;
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines}${length}${body}`, () => socket.destroy());
}
