import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Brand } from '@berth/contract';
import type { Logger } from '@berth/telemetry';
import type { RunnerConfig } from '../config.ts';
import type { Driver } from '../driver/driver.ts';
import type { SandboxTools } from '../instances/tools.ts';
import { machine } from '../machine/machine.ts';
import { createFreezer } from '../sleep/create-freezer.ts';
import { createKeeper, type KeeperOptions } from '../sleep/create-keeper.ts';
import { LastUseBook } from '../sleep/last-use-book.ts';
import type { AdoptedBook } from './adopted-book.ts';
import { openControlKey } from './control-key.ts';
import { GuestControl } from './guest-control.ts';

export interface SandboxOptions extends Pick<KeeperOptions, 'recall' | 'onNews' | 'onWake'> {
  readonly config: Pick<RunnerConfig, 'guestFolder' | 'stateFolder' | 'wakeReserveMb'>;
  readonly brand: Brand;
  readonly driver: Driver;
  readonly adopted: AdoptedBook;
  readonly logger: Logger;
}

/** Opens what sandboxes need. A machine without a guest folder offers no new sandboxes, but keeps its existing ones. */
export async function openSandboxes({
  config,
  brand,
  driver,
  adopted,
  ...options
}: SandboxOptions): Promise<SandboxTools> {
  const { guestFolder, stateFolder, wakeReserveMb } = config;
  if (guestFolder !== undefined) await requireGuest(guestFolder);
  const control = new GuestControl(await openControlKey(stateFolder));
  const freezer = createFreezer(driver);
  const lastUse = new LastUseBook(stateFolder);
  const freeMemoryMb = machine.freeMemoryMb;
  const keeper = createKeeper({ ...options, guest: control, freezer, lastUse, wakeReserveMb, freeMemoryMb });
  return { guestFolder, brand, control, keeper, freezer, adopted };
}

async function requireGuest(folder: string): Promise<void> {
  await access(join(folder, 'init')).catch((cause: unknown) => {
    throw new Error(`There is no guest in ${folder}. Set runner.guestFolder to its runtime folder.`, { cause });
  });
}
