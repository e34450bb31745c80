// Stand-in for a sandbox: a process that reports each request, on an API port and on an app port. It can be stopped and
// continued like a sleeping sandbox.
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

let answered = 0;

async function tell(where: string, request: IncomingMessage) {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of request) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  const { method, url, headers, rawHeaders } = request;
  return { where, method, url, headers, rawHeaders, bytes, sha256: hash.digest('hex'), answered };
}

const listener =
  (where: string): RequestListener =>
  async (request, response) => {
    answered += 1;
    // The URL class refuses some of the targets that pass here.
    const [pathname, query = ''] = (request.url ?? '/').split('?');
    const searchParams = new URLSearchParams(query);
    if (pathname === '/ticks') {
      const everyMs = Number(searchParams.get('everyMs') ?? 100);
      for (let tick = 0; tick < Number(searchParams.get('count') ?? 3); tick += 1) {
        response.write(`tick ${tick}\n`);
        await sleep(everyMs);
      }
      return void response.end('the end');
    }
    if (pathname === '/silent') return undefined;
    if (pathname === '/hangs-up') {
      response.socket?.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nlast bytes, no length and no newline');
      return undefined;
    }
    return void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(await tell(where, request)));
  };

const ports: number[] = [];
for (const where of ['api', 'app']) {
  const server = createServer(listener(where));
  // As in a sandbox: longer than the gateway keeps an idle connection.
  server.keepAliveTimeout = 120_000;
  server.on('upgrade', (request, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\nX-Url: ${request.url}\r\n\r\n`,
    );
    socket.on('error', () => {}).pipe(socket);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (typeof address === 'object' && address !== null) ports.push(address.port);
}
process.send?.(ports);
process.on('disconnect', () => process.exit());
