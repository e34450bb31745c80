import type { Brand } from '@berth/contract';
import type { Freezer } from '../sleep/freezer.ts';
import type { SleepManager } from '../sleep/sleep-manager.ts';
import type { AdoptionFiles } from './adoption-files.ts';
import type { GuestControl } from './guest-control.ts';

/** What the runner needs to run sandboxes. */
export interface SandboxServices {
  /** Folder on this machine with the guest and all its files. Absent: no new sandboxes are offered. */
  readonly guestFolder: string | undefined;
  readonly brand: Brand;
  readonly control: GuestControl;
  readonly sleep: SleepManager;
  /** For sandboxes that the sleep manager does not know, from an earlier run of this process. */
  readonly freezer: Freezer;
  readonly adopted: AdoptionFiles;
}
