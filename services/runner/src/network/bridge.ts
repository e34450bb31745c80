// The bridge that joins all slots of a runner, as a network of the engine, which gives out the addresses on it.
import type Docker from 'dockerode';
import type { NetworkInspectInfo } from 'dockerode';
import { answered, answeredIfThere } from '../driver/docker-client.ts';
import { containerLabels } from '../driver/driver.ts';
import { machineAddress, mendInterface, setHardwareAddress } from './bridge-interface.ts';
import type { RunCommand } from './command.ts';

export interface BridgeWish {
  readonly runnerId: string;
  /** Of the interface, and of the engine's network. */
  readonly bridge: string;
  readonly subnet: string;
}

const BRIDGE_NAME = 'com.docker.network.bridge.name';

/** Returns what it had to make or mend. */
export async function mendBridge(docker: Docker, run: RunCommand, wish: BridgeWish): Promise<string[]> {
  const found = await answeredIfThere(docker.getNetwork(wish.bridge).inspect());
  if (found === undefined) {
    await createBridge(docker, wish);
    await setHardwareAddress(run, wish);
    return [`the network ${wish.bridge} was missing`];
  }
  assertOurs(found, wish);
  return mendInterface(docker, run, wish);
}

async function createBridge(docker: Docker, { runnerId, bridge, subnet }: BridgeWish): Promise<void> {
  const network = {
    Name: bridge,
    Driver: 'bridge',
    // Without this the engine lets two networks share a name.
    CheckDuplicate: true,
    Labels: { [containerLabels.runner]: runnerId },
    IPAM: { Config: [{ Subnet: subnet, Gateway: machineAddress(subnet) }] },
    Options: {
      [BRIDGE_NAME]: bridge,
      // Ours to do, in our own table.
      'com.docker.network.bridge.enable_ip_masquerade': 'false',
    },
  };
  await answered(docker.createNetwork(network));
}

/** It cannot be changed while slots hang on it, so a difference is for a person to decide. */
function assertOurs(found: NetworkInspectInfo, { runnerId, bridge, subnet }: BridgeWish): void {
  const asWished =
    found.Labels?.[containerLabels.runner] === runnerId &&
    found.Options?.[BRIDGE_NAME] === bridge &&
    found.IPAM?.Config?.[0]?.Subnet === subnet;
  if (asWished) return;
  throw new Error(
    `The engine has a network ${bridge} of another runner or with another subnet than ${subnet}. Name another bridge for this runner, or remove that network with "docker network rm ${bridge}".`,
  );
}
