// gVisor takes the address and the routes out of the network namespace that it starts in, and does not put them back.
import { readFile } from 'node:fs/promises';
import type { RunCommand } from '../../machine/command.ts';
import type { SlotOrigin } from './network-slot.ts';

/** Throws when the slot has ended. */
export async function restoreAddress(
  run: RunCommand,
  address: string,
  { pid, prefixLength, gateway }: SlotOrigin,
): Promise<void> {
  if (hasDefaultRoute(await readFile(`/proc/${pid}/net/route`, 'utf8'))) return;
  const commands = [
    `address replace ${address}/${prefixLength} broadcast + dev eth0`,
    `route replace default via ${gateway} dev eth0`,
  ];
  await run('nsenter', [`--net=/proc/${pid}/ns/net`, '--', 'ip', '-batch', '-'], `${commands.join('\n')}\n`);
}

/** `table` is the text of `/proc/net/route`: the second column is the destination in hex, the eighth its mask. */
export const hasDefaultRoute = (table: string): boolean =>
  table
    .split('\n')
    .map((line) => line.split('\t'))
    .some((columns) => columns[1] === '00000000' && columns[7] === '00000000');
