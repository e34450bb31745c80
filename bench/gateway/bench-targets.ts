// One machine with one container that answers fast, and the targets that reach it: directly, by nginx, by gateways.
import { type Fleet, type GatewayPlace, startFleet } from '../../engines/fleet/fleet.ts';
import type { Machine } from '../../engines/fleet/machine.ts';
import { loadTools } from '../../engines/load-tools.ts';
import { agent, clientOf, instancesOf, settled } from '../../tests/harness/workloads.ts';
import type { Target } from './load.ts';
import { startNginxTwice } from './nginx-twice.ts';
import { importStaticImage } from './static-image.ts';

export interface BenchTargets extends AsyncDisposable {
  readonly machine: Machine;
  readonly bare: Target;
  readonly nginx: Target;
  /** Starts gateways inside the machine that reach the container by the runner's lease or through its tunnel. */
  startGateways(count: number, way: 'lease' | 'tunnel'): Promise<Target>;
}

const path = '/main/agents/still';

export async function startBenchTargets(settings?: Readonly<Record<string, string>>): Promise<BenchTargets> {
  await loadTools.install();
  await using made = new AsyncDisposableStack();
  const fleet = made.use(await startFleet({ name: 'bench-gateway', workspaces: ['main'], machines: 1 }));
  const [machine] = fleet.machines;
  if (machine === undefined) throw new Error('the fleet has no machine');
  const container = await deploy(fleet, machine);
  const nginx = made.use(await startNginxTwice(machine, fleet.folder, container));
  const kept = made.move();
  return {
    machine,
    bare: { urls: [`http://${container}${path}`], pids: [], key: fleet.key },
    nginx: { urls: [`${nginx.url}${path}`], pids: nginx.pids, key: fleet.key },
    async startGateways(count, way) {
      const place: GatewayPlace = {
        inside: machine,
        settings: {
          ...settings,
          ...(way === 'lease' && { BERTH_GATEWAY_LOCAL_RUNNER: `${machine.stateFolder}/ingress.sock` }),
        },
      };
      const gateways = [];
      for (let each = 0; each < count; each += 1) gateways.push(await fleet.startGateway(place));
      return {
        urls: gateways.map(({ url }) => `${url}${path}`),
        pids: [machine.runner.pid, ...gateways.map(({ process }) => process.pid)],
        key: fleet.key,
      };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Returns the container's own address. */
async function deploy(fleet: Fleet, machine: Machine): Promise<string> {
  const image = await importStaticImage(machine.dockerUrl);
  const client = clientOf(fleet);
  const { status, body } = await client.post(
    '/agents',
    agent('still', { image, generation: 'mk2', minScale: 1, maxScale: 1 }),
  );
  if (status !== 200) throw new Error(`the agent was refused: ${JSON.stringify(body)}`);
  await settled(client, '/agents/still', ['DEPLOYED']);
  const [instance] = await instancesOf(fleet, 'still');
  if (instance?.address) return `${instance.address}:8080`;
  throw new Error('the instance has no address');
}
