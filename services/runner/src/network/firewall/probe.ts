// node probe.ts listen|connect <address> <port>: one end of a connection, in the network namespace it is started in.
// `connect` exits with 0 once it is connected, and with 1 if its packets are dropped or nothing listens.
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const [role, host = '', port = ''] = process.argv.slice(2);
const place = { host, port: Number(port) };
/**
 * The listener may start later than its caller. Until then a connection is refused at once, while a dropped packet
 * gets no answer.
 */
const untilMs = 60_000;
const tryMs = 1_000;
const maxDropped = 5;
const pauseMs = 100;

if (role === 'listen') {
  const server = createServer((socket) => socket.on('error', () => {}).end());
  // Another program already listens there and answers instead.
  server.on('error', () => process.exit(0));
  // The first try does not share the port, so it fails beside a gateway and takes none of its connections. Then the port
  // is shared, or a gateway that starts during the check could not listen.
  server.listen(place, () => server.close(() => server.listen({ ...place, reusePort: true })));
  setTimeout(() => process.exit(0), untilMs);
} else {
  process.exit((await connects()) ? 0 : 1);
}

async function connects(): Promise<boolean> {
  let dropped = 0;
  while (dropped < maxDropped && performance.now() < untilMs) {
    const outcome = await tryOnce();
    if (outcome === 'connected') return true;
    if (outcome === 'dropped') dropped += 1;
    await sleep(pauseMs);
  }
  return false;
}

async function tryOnce(): Promise<'connected' | 'refused' | 'dropped'> {
  const signal = AbortSignal.timeout(tryMs);
  const socket = createConnection(place);
  try {
    await once(socket, 'connect', { signal });
    return 'connected';
  } catch {
    return signal.aborted ? 'dropped' : 'refused';
  } finally {
    socket.destroy();
  }
}
