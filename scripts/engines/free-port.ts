import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';

const lowest = 15_000;
const highest = 65_535;
const mostAttempts = 50;

/**
 * Outside the range the kernel takes the ports of outgoing connections from: one from within it may be a connection's
 * by the time somebody listens. Where that range leaves nothing out, any will do.
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
  const outgoingFrom = Number(range.trim().split(/\s+/)[0]);
  const end = outgoingFrom > lowest ? outgoingFrom : highest;
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const port = randomInt(lowest, end);
    if (await isFree(port, host)) return port;
  }
  throw new Error(`None of ${mostAttempts} ports between ${lowest} and ${end} is free.`);
}

const isFree = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
