// A workload with one page per kind of difficult behaviour. Sends its port to its parent.
import { createServer, type ServerResponse } from 'node:http';

let active = 0;
let sockets = 0;
let read = 0;
let written = 0;
const chunk = Buffer.alloc(64 * 1024);
const unread: ServerResponse[] = [];

const pages: Record<string, (response: ServerResponse) => void> = {
  '/counts': (response) => response.end(JSON.stringify({ active, sockets, read, written })),
  '/fine': (response) => response.end('fine'),
  '/hang': () => {},
  // A request that is not read does not notice that its client has left: `/hear` reads all of them.
  '/deaf': (response) => void unread.push(response),
  '/hear': (response) => {
    for (const each of unread.splice(0)) each.req.resume();
    response.end();
  },
  '/endless'(response) {
    const push = () => {
      for (let more = !response.destroyed; more; written += chunk.length) more = response.write(chunk);
    };
    response.on('drain', push);
    push();
  },
  '/count'(response) {
    let bytes = 0;
    response.req.on('data', (data: Buffer) => {
      bytes += data.length;
      read += data.length;
    });
    response.req.on('end', () => response.end(String(bytes)));
  },
};

const server = createServer((request, response) => {
  const page = pages[request.url ?? ''];
  if (request.url !== '/counts') {
    active += 1;
    response.once('close', () => {
      active -= 1;
    });
  }
  if (page === undefined) response.writeHead(404).end();
  else page(response);
});
server.on('connection', (socket) => {
  sockets += 1;
  socket
    .on('error', () => {})
    .once('close', () => {
      sockets -= 1;
    });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.(address?.port);
});
