// holding-listener.mjs <port>…: accepts connections and holds them. Prints `listening` once it does.
import { once } from 'node:events';
import { createServer } from 'node:net';

for (const port of process.argv.slice(2).map(Number)) {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  await once(server.listen({ port, host: '0.0.0.0', backlog: 1024 }), 'listening');
}
console.log('listening');
