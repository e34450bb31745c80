// Container settings of a sandbox: the guest replaces the image's own command. Pure. The owner's variables are not
// among them: the guest receives those once it answers, and they can change later.
import type { Brand } from '@berth/contract';
import { brandedStartVariables, brandedVariable, guestVariables } from '@berth/contract/guest';
import type { SandboxInstance } from '@berth/contract/node';
import type { ContainerSpec } from '../driver/driver.ts';
import type { GuestControl } from './guest-control.ts';

export interface GuestSettings {
  /** Folder on this machine with the guest and all its files. */
  readonly guestFolder: string;
  readonly brand: Brand;
  readonly control: Pick<GuestControl, 'variablesOf'>;
}

type Environment = Readonly<Record<string, string>>;

const insideFolder = '/.berth';
/** Lower than for a server: a sandbox runs unreviewed code, and its neighbours share the cores. */
const maxProcesses = 2_048;

export function sandboxContainer(
  { id, port, env }: Pick<SandboxInstance, 'id' | 'port' | 'env'>,
  { guestFolder, brand, control }: GuestSettings,
): Required<Pick<ContainerSpec, 'entrypoint' | 'mounts' | 'maxProcesses' | 'env'>> {
  return {
    entrypoint: [`${insideFolder}/init`, '--port', String(port)],
    mounts: { [insideFolder]: guestFolder },
    maxProcesses,
    env: {
      ...bootVariables(env, brand),
      ...control.variablesOf(id),
      [guestVariables.pidsLimit.name]: String(maxProcesses),
      [guestVariables.brand.name]: `${brand.long}:${brand.short}`,
    },
  };
}

/** Variables that the guest reads only at its start: its user, and the path of a file with more variables. */
export function bootVariables(env: Environment, { short }: Brand): Record<string, string> {
  const names = brandedStartVariables.map((name) => brandedVariable(short, name));
  return Object.fromEntries(Object.entries(env).filter(([name]) => names.includes(name)));
}
