// An agent that streams: events now and then, or as many bytes as are taken, and a count of what is open.
import { createServer } from 'node:http';
import { env } from 'node:process';

const { PORT: port, HOST: host } = env;
const block = Buffer.alloc(64 * 1024, 'x');
let open = 0;

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://agent');
  if (pathname !== '/events' && pathname !== '/flood') return response.end(JSON.stringify({ open }));
  open += 1;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const timer =
    pathname === '/events'
      ? setInterval(() => response.write('data: event\n\n'), Number(searchParams.get('pause')))
      : undefined;
  if (pathname === '/events') response.write('data: first\n\n');
  else {
    const push = () => {
      while (!response.destroyed && response.write(block));
    };
    response.on('drain', push);
    push();
  }
  response.once('close', () => {
    open -= 1;
    clearInterval(timer);
  });
});
server.listen({ port: Number(port), host, backlog: 4096 });
