import type { RunnerChoices } from '../install/install-record.ts';
import type { MachineContext } from '../install/machine-context.ts';

export interface JoinContext extends MachineContext {
  readonly choices: RunnerChoices;
  /** Undefined once the machine has joined. */
  readonly joinToken: string | undefined;
  /** Image of sandboxes that name none. */
  readonly sandboxImage: string | undefined;
}
