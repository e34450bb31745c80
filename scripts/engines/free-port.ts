import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { claimName, listening } from './claim-name.ts';

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
    if (await take(port, host)) return port;
  }
  throw new Error(`None of ${mostAttempts} ports between ${lowest} and ${end} is free.`);
}

/**
 * Whoever finds a port keeps a name for it until the process ends: others, of which several test at the same time, would find it
 * free as well until somebody listens there. Names of this kind live where ports do, in the network namespace.
 */
async function take(port: number, host: string): Promise<boolean> {
  const name = await claimName(`port-${port}`);
  if (name === undefined) return false;
  name.unref();
  const server = await listening({ port, host });
  const done = server ?? name;
  await new Promise((closed) => done.close(closed));
  return server !== undefined;
}
