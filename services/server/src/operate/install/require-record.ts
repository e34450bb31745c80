import { Fault } from '../machine/fault.ts';
import type { DeploymentRecord, InstallRecord } from './install-record.ts';
import type { Installation } from './installation.ts';

export function requireRecord({ record, places }: Pick<Installation, 'record' | 'places'>): InstallRecord {
  const found = record();
  if (found !== undefined) return found;
  throw new Fault(`There is no installation on this machine: ${places.record} does not exist.`, 'berth-server up');
}

/** For commands that need the control plane on this machine. */
export function requireDeployment(installation: Pick<Installation, 'record' | 'places'>): DeploymentRecord {
  const found = requireRecord(installation);
  if (found.kind === 'deployment') return found;
  throw new Fault(
    `This machine is a runner of the deployment at ${new URL(found.choices.nodeUrl).host}, and not its first machine.`,
    `run the command on the first machine; or remove the runner: berth-server uninstall --delete-data ${found.choices.name}`,
  );
}
