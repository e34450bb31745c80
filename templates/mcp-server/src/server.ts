import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { answer } from './answer.ts';

const { HOST = '0.0.0.0', PORT = '8000' } = process.env;

const server = createServer(async (request, response) => {
  const path = request.url?.split('?')[0];
  if (path === '/health') return response.writeHead(200).end('ok');
  if (path !== '/mcp') return response.writeHead(404).end();
  // The server sends no messages by itself, so it offers no stream.
  if (request.method !== 'POST') return response.writeHead(405, { allow: 'POST' }).end();
  const reply = await answer(await text(request));
  if (reply === undefined) return response.writeHead(202).end();
  return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
});

server.listen(Number(PORT), HOST, () => console.log(`listening on ${HOST}:${PORT}`));
process.once('SIGTERM', () => server.close());
