import type { Choices } from '../install/install-record.ts';
import type { MachineContext } from '../install/machine-context.ts';

export interface UpContext extends MachineContext {
  readonly choices: Choices;
  /** Archive of the release that runs. */
  readonly archive: string | undefined;
  readonly acmeRoot: string | undefined;
  readonly wildcard: { readonly certificate: string; readonly key: string } | undefined;
}
