import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Brand } from '@berth/contract';
import type { Logger } from '@berth/telemetry';
import type { RunnerConfig } from '../config.ts';
import type { Driver } from '../driver/driver.ts';
import { machine } from '../machine/machine.ts';
import { createFreezer } from '../sleep/create-freezer.ts';
import { createSleepManager, type SleepManagerOptions } from '../sleep/create-sleep-manager.ts';
import { LastUseFiles } from '../sleep/last-use-files.ts';
import type { AdoptionFiles } from './adoption-files.ts';
import { openControlKey } from './control-key.ts';
import { GuestControl } from './guest-control.ts';
import type { SandboxServices } from './sandbox-services.ts';

export interface SandboxOptions extends Pick<SleepManagerOptions, 'recall' | 'onActivity' | 'onWake' | 'meter'> {
  readonly config: Pick<RunnerConfig, 'guestFolder' | 'stateFolder' | 'wakeReserveMb'>;
  readonly brand: Brand;
  readonly driver: Driver;
  readonly adopted: AdoptionFiles;
  readonly logger: Logger;
}

/** Opens what sandboxes need. A machine without a guest folder offers no new sandboxes, but keeps its existing ones. */
export async function openSandboxes({
  config,
  brand,
  driver,
  adopted,
  ...options
}: SandboxOptions): Promise<SandboxServices> {
  const { guestFolder, stateFolder, wakeReserveMb } = config;
  if (guestFolder !== undefined) await requireGuest(guestFolder);
  const control = new GuestControl(await openControlKey(stateFolder));
  const freezer = createFreezer(driver);
  const lastUse = new LastUseFiles(stateFolder);
  const freeMemoryMb = machine.freeMemoryMb;
  const sleep = createSleepManager({ ...options, guest: control, freezer, lastUse, wakeReserveMb, freeMemoryMb });
  return { guestFolder, brand, control, sleep, freezer, adopted };
}

async function requireGuest(folder: string): Promise<void> {
  await access(join(folder, 'init')).catch((cause: unknown) => {
    throw new Error(`There is no guest in ${folder}. Set runner.guestFolder to its runtime folder.`, { cause });
  });
}
