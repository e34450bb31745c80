// The settings of a machine with a runner alone. Memory for instances is what the runner takes by itself: nine tenths of the machine.
import { stringify } from 'yaml';
import type { RunnerChoices } from '../install/install-record.ts';
import type { Places } from '../machine/places.ts';
import { ports, runnerPorts } from '../machine/ports.ts';

export function runnerSettingsText(
  { name, address, nodeUrl, gateways }: RunnerChoices,
  places: Pick<Places, 'currentRelease' | 'runnerState'>,
): string {
  const settings = {
    runner: {
      name,
      apiUrl: nodeUrl,
      stateFolder: places.runnerState,
      guestFolder: `${places.currentRelease}/guest`,
      gateways,
      ingress: { host: address, port: runnerPorts.ingress },
    },
    health: { host: '127.0.0.1', ports: { runner: ports.runnerHealth } },
  };
  return `# Settings of this runner, made by berth-server join. docs/operations/settings.md lists all of them.
# After a change run: berth-server join
${stringify(settings)}`;
}
