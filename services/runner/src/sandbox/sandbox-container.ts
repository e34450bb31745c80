// What the container of a sandbox is made with: the guest in place of the image's own command. Pure. Its owner's variables are
// not among them: the guest is given those once it answers, and can be given others.
import type { Brand, DesiredInstance } from '@berth/contract';
import type { ContainerWish } from '../driver/driver.ts';
import type { GuestControl } from './guest-control.ts';

export interface GuestSettings {
  /** On this machine: the guest with all it needs. */
  readonly guestFolder: string;
  readonly brand: Brand;
  readonly control: Pick<GuestControl, 'variablesOf'>;
}

type Environment = Readonly<Record<string, string>>;

const insideFolder = '/.berth';
/** Fewer than a server may have: code that nobody has read runs here, and its neighbours share the cores. */
const mostProcesses = 2_048;

export function sandboxContainer(
  { id, port, env }: Pick<DesiredInstance, 'id' | 'port' | 'env'>,
  { guestFolder, brand, control }: GuestSettings,
): Required<Pick<ContainerWish, 'entrypoint' | 'mounts' | 'mostProcesses' | 'env'>> {
  return {
    entrypoint: [`${insideFolder}/init`, '--port', String(port)],
    mounts: { [insideFolder]: guestFolder },
    mostProcesses,
    env: {
      ...bootVariables(env, brand),
      ...control.variablesOf(id),
      SANDBOX_PIDS_LIMIT: String(mostProcesses),
      SANDBOX_BRAND: `${brand.long}:${brand.short}`,
    },
  };
}

/** Which are read when the guest starts and never again: as whom it runs, and where more variables lie. */
export function bootVariables(env: Environment, { short }: Brand): Record<string, string> {
  const names = ['SANDBOX_USER', 'SANDBOX_USER_ENABLED', 'ENV_VAR_PATH'].map(
    (name) => `${short.toUpperCase()}_${name}`,
  );
  return Object.fromEntries(Object.entries(env).filter(([name]) => names.includes(name)));
}
