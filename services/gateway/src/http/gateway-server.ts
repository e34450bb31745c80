// Listener for clients: strict about what it parses, patient with uploads, and able to drain without cutting
// connections.
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { settlesWithin } from '@berth/concurrency';
import type { Logger } from '@berth/telemetry';
import { isPlainlyFramed } from './framing.ts';

type UnreadStatus = 400 | 408 | 431;
export type RefusalStatus = UnreadStatus | 500;

export interface Refusal {
  readonly headers: readonly string[];
  readonly body: string;
}

/** `upgrade` is set when the client asks for another protocol; `response` still works when the upgrade is refused. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upgrade: { readonly socket: Socket; readonly head: Buffer } | undefined;
}

export interface GatewayServerOptions {
  readonly handle: (call: Call) => Promise<void>;
  /** Error body of the platform for input that never becomes a request. */
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
  /** Stops accepting, lets open requests finish within the deadline, then closes the rest. */
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
    // A missing Host is refused below: Node's own refusal does not identify the platform.
    requireHostHeader: false,
    maxHeaderSize: options.maxHeaderBytes,
    headersTimeout: options.headersTimeoutMs,
    // An upload may take as long as bytes move; the forwarder measures its timeouts.
    requestTimeout: 0,
    keepAliveTimeout: options.keepAliveMs,
    connectionsCheckingInterval: Math.min(30_000, options.headersTimeoutMs),
    noDelay: true,
    shouldUpgradeCallback: wantsUpgrade,
    // A request without a body needs no stream, and most requests have no body.
    optimizeEmptyRequests: true,
  };
  const server = tls === undefined ? createServer(settings) : createTlsServer({ ...settings, ...tls });
  server.maxRequestsPerSocket = 0;
  // Node calls this from `close`.
  server.closeIdleConnections = () => {
    for (const socket of connected) if (isIdle(socket)) socket.destroy();
  };

  /** One shared function: a closure per request would burden the garbage collector. */
  function onClose(this: ServerResponse): void {
    open.delete(this);
    // The response head may have been sent before the drain began, without `Connection: close`.
    if (isDraining && isIdle(this.req.socket)) this.req.socket.end();
  }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    open.add(response);
    latest.set(request.socket, response);
    response.on('error', ignore).on('close', onClose);
    if (isDraining) response.shouldKeepAlive = false;
    if (isWellFormed(request)) run({ request, response, upgrade: undefined });
    else refuse(response, 400);
  }

  function onUpgrade(request: IncomingMessage, _: Duplex, head: Buffer): void {
    const { socket } = request;
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket)).on('error', ignore);
    const response = responseOn(request, socket).on('error', ignore);
    if (isWellFormed(request)) run({ request, response, upgrade: { socket, head } });
    else refuse(response, 400);
  }

  /**
   * True when the last response is fully flushed. Node's own check counts a response still buffered for a slow client
   * as idle.
   */
  const isIdle = (socket: Socket): boolean => !upgraded.has(socket) && latest.get(socket)?.closed !== false;

  function run(call: Call): void {
    handle(call).catch((error: unknown) => {
      logger.error({ err: error }, 'request failed unexpectedly; answering with 500 or closing the connection');
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

  /** Refuses input that never became a request with its own response. */
  function refuseOn(socket: Duplex, status: UnreadStatus): void {
    const response = latest.get(socket);
    // During a response, or after a response that ends the connection, a second response would be read as part of it.
    const hasSpoken = response?.headersSent === true && !(response.closed && response.shouldKeepAlive);
    if (hasSpoken) socket.destroy();
    else refuseUnread(socket, status, refusal);
  }

  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    connected.add(socket);
    socket.once('close', () => connected.delete(socket));
  });
  server.on('request', onRequest);
  // The forwarder sends `100 Continue` when a workload is ready to take the body.
  server.on('checkContinue', onRequest);
  server.on('upgrade', onUpgrade);
  // The gateway is no CONNECT proxy; without a listener the connection would close without a response.
  server.on('connect', (_request, socket: Duplex) => refuseOn(socket, 400));
  server.on('clientError', (error: Error, socket: Duplex) => {
    if (isGone(error)) socket.destroy();
    else refuseOn(socket, statusOf(error));
  });

  return {
    server,
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        // Several processes may share the port: the kernel distributes connections among them.
        server.listen({ port, host, reusePort: true }, () => {
          const address = server.address();
          if (address !== null && typeof address === 'object') resolve(address);
        });
      }),
    async stop(deadlineMs) {
      isDraining = true;
      for (const response of open) if (!response.headersSent) response.shouldKeepAlive = false;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const gone = [...upgraded].map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())));
      await settlesWithin(deadlineMs, Promise.all([closed, ...gone]));
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      await closed;
    },
  };
}

/** A client that leaves also causes `close`; the error adds nothing and must not end the process. */
const ignore = (): void => {};

/**
 * Some clients offer HTTP/2 (h2c) on every request and expect the offer to be ignored. A request with a body is always
 * handled as an ordinary request.
 */
function wantsUpgrade({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0') return false;
  return !/\bh2c\b/i.test(headers.upgrade ?? '');
}

/** Node gives no response object for an upgrade, but most answers to an upgrade are ordinary responses. */
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

const isWellFormed = ({ headers, rawHeaders }: IncomingMessage): boolean =>
  headers.host !== undefined && isPlainlyFramed(rawHeaders);

const isGone = (error: Error): boolean => 'code' in error && error.code === 'ECONNRESET';

function statusOf(error: Error): UnreadStatus {
  const code = 'code' in error ? error.code : undefined;
  return code === 'HPE_HEADER_OVERFLOW' ? 431 : code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

function refuseUnread(socket: Duplex, status: UnreadStatus, refusal: GatewayServerOptions['refusal']): void {
  if (!socket.writable) return void socket.destroy();
  const reason = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' }[status];
  const { headers, body } = refusal(status);
  const lines = headers.map((item, at) => (at % 2 === 0 ? `${item}: ` : `${item}\r\n`)).join('');
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`;
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines}${length}${body}`, () => socket.destroy());
}
