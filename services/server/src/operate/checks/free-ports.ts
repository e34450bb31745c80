import { once } from 'node:events';
import { createServer } from 'node:net';
import { edgePorts, ports, runnerPorts } from '../machine/ports.ts';
import type { Check, Finding, LookedAtMachine, LookedAtRunner } from './check.ts';

interface Place {
  readonly port: number;
  readonly host: string;
}

const everywhere = (port: number): Place => ({ port, host: '0.0.0.0' });
const onLoopback = (port: number): Place => ({ port, host: '127.0.0.1' });

const free = <Machine extends LookedAtMachine>(placesOf: (machine: Machine) => Place[]): Check<Machine> => ({
  name: 'free-ports',
  why: 'each service listens on a port of its own',
  when: 'before',
  look: async (machine) => (machine.isInstalled ? undefined : takenAmong(placesOf(machine))),
});

export const freePorts: Check = free(({ choices }) => [
  ...Object.values(edgePorts).map(everywhere),
  ...Object.values(ports).map(onLoopback),
  ...(choices.takesRunners ? [everywhere(runnerPorts.nodeListener)] : []),
]);

export const freeRunnerPorts: Check<LookedAtRunner> = free(() => [
  everywhere(runnerPorts.ingress),
  onLoopback(ports.runnerHealth),
]);

async function takenAmong(wanted: readonly Place[]): Promise<Finding | undefined> {
  const taken = await Promise.all(wanted.map(async (place) => ((await isFree(place)) ? [] : [place.port])));
  const found = taken.flat();
  if (found.length === 0) return undefined;
  const filter = found.map((port) => `sport = :${port}`).join(' or ');
  return {
    what: `Another program listens on ${found.join(', ')}.`,
    fix: `stop it; ss --listening --tcp --processes '( ${filter} )' names it`,
  };
}

async function isFree(place: Place): Promise<boolean> {
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
