// An agent of the greedy account. GET /print prints without a pause, GET /dial opens connections and holds them, GET /calm ends
// both; every answer says how far it came.
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { env } from 'node:process';

const { PORT: port } = env;
const line = `${'x'.repeat(199)}\n`.repeat(300);
const counts = { printedMb: 0, dialled: 0, connected: 0, mostOpen: 0, refused: 0 };
const sockets = new Set();
/** For an answer. */
const waiting = new Set();
const mostAtATime = 10_000;
let isPrinting = false;

function print() {
  if (!isPrinting) return;
  counts.printedMb += line.length / 1e6;
  process.stdout.write(line, () => setImmediate(print));
}

function dialOnce(host, port) {
  counts.dialled += 1;
  const socket = connect({ host, port });
  let isOpen = false;
  sockets.add(socket);
  waiting.add(socket);
  socket.once('connect', () => {
    isOpen = true;
    waiting.delete(socket);
    counts.connected += 1;
    counts.mostOpen = Math.max(counts.mostOpen, counts.connected);
  });
  socket.on('error', () => {
    counts.refused += 1;
  });
  socket.once('close', () => {
    sockets.delete(socket);
    waiting.delete(socket);
    if (isOpen) counts.connected -= 1;
  });
}

/** A thousand at a time. Those that wait longest make room for others: a container may hold so many files open, and no more. */
function dial(host, ports, left) {
  const begun = Math.min(left, 1_000);
  const given = [...waiting].slice(0, Math.max(0, sockets.size + begun - mostAtATime));
  for (const socket of given) socket.destroy();
  for (let each = 0; each < begun; each += 1) dialOnce(host, ports[each % ports.length]);
  if (left > begun) setTimeout(dial, 20, host, ports, left - begun);
}

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://agent');
  if (pathname === '/print' && !isPrinting) {
    isPrinting = true;
    print();
  }
  if (pathname === '/dial')
    dial(searchParams.get('host'), searchParams.getAll('port').map(Number), Number(searchParams.get('count')));
  if (pathname === '/calm') {
    isPrinting = false;
    for (const socket of sockets) socket.destroy();
  }
  response.end(JSON.stringify(counts));
}).listen(Number(port));
