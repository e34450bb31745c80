import { once } from 'node:events';
import { createServer } from 'node:net';
import { edgePorts, ports } from '../machine/ports.ts';
import type { Check } from './check.ts';

export const freePorts: Check = {
  name: 'free-ports',
  why: 'each service listens on a port of its own',
  when: 'before',
  async look({ isInstalled }) {
    if (isInstalled) return undefined;
    const wanted = [
      ...Object.values(edgePorts).map((port) => ({ port, host: '0.0.0.0' })),
      ...Object.values(ports).map((port) => ({ port, host: '127.0.0.1' })),
    ];
    const taken = await Promise.all(wanted.map(async (place) => ((await isFree(place)) ? [] : [place.port])));
    const found = taken.flat();
    if (found.length === 0) return undefined;
    const filter = found.map((port) => `sport = :${port}`).join(' or ');
    return {
      what: `Another program listens on ${found.join(', ')}.`,
      fix: `stop it; ss --listening --tcp --processes '( ${filter} )' names it`,
    };
  },
};

async function isFree(place: { readonly port: number; readonly host: string }): Promise<boolean> {
  const server = createServer();
  server.listen(place);
  try {
    await once(server, 'listening');
    server.close();
    return true;
  } catch {
    return false;
  }
}
