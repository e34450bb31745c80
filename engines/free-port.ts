import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { claimName, listening } from './claim-name.ts';

const lowest = 15_000;
const highest = 65_535;
const maxAttempts = 50;

/**
 * Picks a port outside the kernel's range for outgoing connections: a port inside it may be taken by a connection
 * before the caller listens. If that range leaves no room, any port is used.
 */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
  const outgoingFrom = Number(range.trim().split(/\s+/)[0]);
  const end = outgoingFrom > lowest ? outgoingFrom : highest;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const port = randomInt(lowest, end);
    if (await take(port, host)) return port;
  }
  throw new Error(`None of ${maxAttempts} ports between ${lowest} and ${end} is free.`);
}

/**
 * Claims a name for the port until this process ends: other processes that look for a port at the same time would also
 * find it free until the caller listens. Such names are scoped to the network namespace, as ports are.
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
