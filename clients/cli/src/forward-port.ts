// Serves a port of a sandbox on this machine: requests and WebSockets are passed on with the key.
import type { ClientRequest, IncomingMessage, Server } from 'node:http';
import { type Duplex, pipeline } from 'node:stream';

export async function forwardPort(address: URL, key: string): Promise<Server> {
  // Loaded here, because loading it takes longer than a whole `berth --version`.
  const { createServer, ...plain } = await import('node:http');
  const { request } = address.protocol === 'https:' ? await import('node:https') : plain;

  const passOn = (incoming: IncomingMessage): ClientRequest =>
    request({
      ...{ host: address.hostname, port: address.port, method: incoming.method ?? 'GET' },
      path: `${address.pathname}${incoming.url ?? '/'}`,
      headers: { ...incoming.headers, host: address.host, authorization: `Bearer ${key}` },
    });

  const server = createServer((incoming, answer) => {
    const passed = passOn(incoming);
    passed.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      pipeline(response, answer, ignore);
    });
    passed.on('error', (error) => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(502).end(`${error.message}\n`);
    });
    answer.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  server.on('upgrade', (incoming, socket: Duplex, begin: Buffer) => {
    const passed = passOn(incoming);
    passed.on('upgrade', (response, far, farBegin) => {
      socket.write(headOf(response));
      socket.write(farBegin);
      far.write(begin);
      pipeline(socket, far, ignore);
      pipeline(far, socket, ignore);
    });
    passed.on('response', (response) => {
      socket.write(headOf(response));
      pipeline(response, socket, ignore);
    });
    passed.on('error', (error) =>
      socket.end(`HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n${error.message}\n`),
    );
    socket.on('error', () => passed.destroy());
    passed.end();
  });
  return server;
}

/** A connection that breaks ends its other side; there is nobody else to tell. */
const ignore = (): void => {};

/** The answer ends with its connection, so its length is of no use. */
function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  const lines: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (name.toLowerCase() !== 'transfer-encoding') lines.push(`${name}: ${value}\r\n`);
  }
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}\r\n`;
}
