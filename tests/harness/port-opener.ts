import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { runEnvironment } from '../../engines/run.ts';

const serverProgram = `
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
  /** Process that was started. It has already ended if `detached`. */
  pid: number;
  /** Process that serves the port. */
  serverPid: number;
  port: number;
};

/**
 * Starts a real process with an open port. If `detached`, the process has its own session and process 1 as its
 * parent, because its first parent has ended.
 */
export async function openPort(
  kind: 'tcp' | 'udp4' | 'udp6',
  host: string,
  { key = '', detached = false } = {},
): Promise<PortOpener> {
  const args = ['-e', serverProgram, kind, host, ...(detached ? ['detached'] : [])];
  const env = { SOURCE: serverProgram, ...runEnvironment(), ...(key ? { SANDBOX_PROCESS_KEY: key } : {}) };
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
