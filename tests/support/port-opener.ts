import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { runEnvironment } from '../../scripts/engines/run.ts';

const SERVER = `
const [kind, host, detached] = process.argv.slice(1);
if (detached) {
  require('node:child_process').spawn(process.execPath, ['-e', process.env.SOURCE, kind, host], { stdio: 'inherit', detached: true }).unref();
} else if (kind === 'udp4' || kind === 'udp6') {
  const socket = require('node:dgram').createSocket(kind);
  socket.bind(0, host, () => console.log(process.pid, socket.address().port));
} else {
  const server = require('node:net').createServer();
  server.listen(0, host, () => console.log(process.pid, server.address().port));
}
`;

export type PortOpener = Disposable & {
  child: ChildProcess;
  /** What was started. It has ended when `detached`. */
  pid: number;
  /** Who serves. */
  serverPid: number;
  port: number;
};

/** A real process with an open port. Detached: its own session, adopted by process 1, its parent gone. */
export async function openPort(
  kind: 'tcp' | 'udp4' | 'udp6',
  host: string,
  { key = '', detached = false } = {},
): Promise<PortOpener> {
  const args = ['-e', SERVER, kind, host, ...(detached ? ['detached'] : [])];
  const env = { SOURCE: SERVER, ...runEnvironment(), ...(key ? { SANDBOX_PROCESS_KEY: key } : {}) };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const [line] = await once(createInterface(child.stdout), 'line');
  const [serverPid = 0, port = 0] = String(line).split(' ').map(Number);
  if (detached && child.exitCode === null) await once(child, 'exit');
  return {
    child,
    pid: child.pid ?? 0,
    serverPid,
    port,
    [Symbol.dispose]: () => {
      process.kill(serverPid, 'SIGKILL');
      child.stdout.destroy();
    },
  };
}
