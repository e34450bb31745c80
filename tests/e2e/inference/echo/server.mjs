// An agent that echoes: the request as it arrived, a stream of events, the hash of an upload, an echo by WebSocket.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { env } from 'node:process';

const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const { WORD: word = '', PORT: port, HOST: host } = env;
let aborted = 0;
let open = 0;

/** A wait whose timer does not keep the process alive at shutdown. */
const later = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

async function serve(request, response) {
  open += 1;
  response.once('close', () => {
    open -= 1;
    if (!response.writableFinished) aborted += 1;
  });
  const { pathname, searchParams } = URL.parse(request.url, 'http://agent') ?? new URL('http://agent');
  if (pathname === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-word': word });
    const count = Number(searchParams.get('count') ?? 3);
    const pauseMs = Number(searchParams.get('pause') ?? 100);
    for (let index = 0; index < count && !response.destroyed; index += 1) {
      response.write(`data: ${index}\n\n`);
      await later(pauseMs);
    }
    return response.end();
  }
  if (pathname === '/standing') return response.end(JSON.stringify({ aborted, open: open - 1 }));
  await later(Number(searchParams.get('delay') ?? 0));
  const hash = createHash('sha256');
  let bytes = 0;
  const kept = [];
  for await (const chunk of request) {
    hash.update(chunk);
    bytes += chunk.length;
    if (bytes < 100_000) kept.push(chunk);
  }
  response.writeHead(Number(searchParams.get('status') ?? 200), { 'content-type': 'application/json', 'x-word': word });
  response.end(
    JSON.stringify({
      word,
      method: request.method,
      url: request.url,
      headers: request.rawHeaders,
      bytes,
      sha256: hash.digest('hex'),
      body: bytes < 100_000 ? Buffer.concat(kept).toString() : '',
    }),
  );
}

// A client that leaves while it sends its body must not end the process.
const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));

server.on('upgrade', (request, socket) => {
  const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${guid}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  // Supports only small text frames, and sends each back unmasked.
  socket.on('data', (frame) => {
    if ((frame[0] & 0x0f) === 8) return socket.end();
    const length = frame[1] & 0x7f;
    const mask = frame.subarray(2, 6);
    const text = Buffer.from(frame.subarray(6, 6 + length).map((byte, at) => byte ^ mask[at % 4]));
    socket.write(Buffer.concat([Buffer.from([0x81, text.length]), text]));
  });
  socket.on('error', () => {});
});

process.on('SIGTERM', () => server.close());
server.listen(Number(port), host);
