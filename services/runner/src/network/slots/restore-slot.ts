import type { RunCommand } from '../../machine/command.ts';
import { lingersOnServerPort } from './lingering-ports.ts';
import type { NetworkSlot } from './network-slot.ts';
import { restoreAddress } from './restore-address.ts';
import { restoreSlotFiles } from './slot-files.ts';

/** True when the slot is again as it was created. Throws when it has ended. */
export async function restoreSlot(run: RunCommand, { address, origin }: NetworkSlot): Promise<boolean> {
  if (origin === undefined || (await lingersOnServerPort(origin.pid))) return false;
  await restoreAddress(run, address, origin);
  await restoreSlotFiles(origin.files);
  return true;
}
