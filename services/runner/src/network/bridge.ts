// The bridge that connects all slots of a runner. It is a network of the engine, which assigns the addresses on it.
import type Docker from 'dockerode';
import type { NetworkInspectInfo } from 'dockerode';
import { answered, answeredIfThere } from '../driver/docker-client.ts';
import { containerLabels } from '../driver/driver.ts';
import type { RunCommand } from '../machine/command.ts';
import { machineAddress, mendInterface, setHardwareAddress } from './bridge-interface.ts';

export interface BridgeSpec {
  readonly runnerId: string;
  /** Name of the interface and of the engine's network. */
  readonly bridge: string;
  readonly subnet: string;
}

const bridgeNameOption = 'com.docker.network.bridge.name';

/** Creates or repairs the bridge; returns a description of each change. */
export async function mendBridge(docker: Docker, run: RunCommand, wish: BridgeSpec): Promise<string[]> {
  const found = await answeredIfThere(docker.getNetwork(wish.bridge).inspect());
  if (found === undefined) {
    await createBridge(docker, wish);
    await setHardwareAddress(run, wish);
    return [`the network ${wish.bridge} was missing`];
  }
  assertOurs(found, wish);
  return mendInterface(docker, run, wish);
}

async function createBridge(docker: Docker, { runnerId, bridge, subnet }: BridgeSpec): Promise<void> {
  const network = {
    Name: bridge,
    Driver: 'bridge',
    // Without this the engine lets two networks share a name.
    CheckDuplicate: true,
    Labels: { [containerLabels.runner]: runnerId },
    IPAM: { Config: [{ Subnet: subnet, Gateway: machineAddress(subnet) }] },
    Options: {
      [bridgeNameOption]: bridge,
      // Our own table does this.
      'com.docker.network.bridge.enable_ip_masquerade': 'false',
    },
  };
  await answered(docker.createNetwork(network));
}

/** A network cannot be changed while slots are attached to it, so the operator has to resolve a difference. */
function assertOurs(found: NetworkInspectInfo, { runnerId, bridge, subnet }: BridgeSpec): void {
  const asWished =
    found.Labels?.[containerLabels.runner] === runnerId &&
    found.Options?.[bridgeNameOption] === bridge &&
    found.IPAM?.Config?.[0]?.Subnet === subnet;
  if (asWished) return;
  throw new Error(
    `The engine has a network ${bridge} of another runner or with another subnet than ${subnet}. Name another bridge for this runner, or remove that network with "docker network rm ${bridge}".`,
  );
}
