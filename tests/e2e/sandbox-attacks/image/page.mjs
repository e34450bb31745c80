// A tenant's page: sets the cookies that its query asks for, and answers with the request that it received.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url, 'http://page');
  response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': searchParams.getAll('cookie') });
  response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers }));
});
server.on('upgrade', (_request, socket) =>
  socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: page\r\n\r\n'),
);
server.listen(Number(process.argv[2]), '0.0.0.0');
