// Stand-in for a provider whose streams stay open: an event every few seconds. A process of its own, so that its memory is
// not measured. Prints its port.
import { createServer } from 'node:http';

const pauseMs = Number(process.argv[2]);
const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'word ' } }], usage: null })}\n\n`;

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(event);
    const timer = setInterval(() => response.write(event), pauseMs);
    response.once('close', () => clearInterval(timer));
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address !== 'string') console.log(address.port);
});
