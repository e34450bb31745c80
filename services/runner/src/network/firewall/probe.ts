// node probe.ts listen|connect <address> <port> <seconds>: one end of a connection, in whatever network namespace it is started.
// `connect` ends with 0 once it is connected, and with 1 when that did not happen in time.
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const [role, host = '', port = '', seconds = ''] = process.argv.slice(2);
const place = { host, port: Number(port) };
const untilMs = Number(seconds) * 1_000;
const tryMs = 1_000;
const pauseMs = 100;

if (role === 'listen') {
  const server = createServer((socket) => socket.on('error', () => {}).end());
  // Somebody listens there already: then that is who answers.
  server.on('error', () => process.exit(0));
  server.listen(place);
  setTimeout(() => process.exit(0), untilMs);
} else {
  let isConnected = false;
  while (!isConnected && performance.now() < untilMs) {
    isConnected = await connects();
    if (!isConnected) await sleep(pauseMs);
  }
  process.exit(isConnected ? 0 : 1);
}

async function connects(): Promise<boolean> {
  const socket = createConnection(place);
  const isOpen = once(socket, 'connect', { signal: AbortSignal.timeout(tryMs) }).then(
    () => true,
    () => false,
  );
  return isOpen.finally(() => socket.destroy());
}
