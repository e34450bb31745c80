import type { GuestContainer } from '../../../../tests/harness/guest-container.ts';
import { execInContainer } from './exec-in-container.ts';

// Runs inside, as code in the sandbox could: the processes inside gVisor are not visible on the machine.
const script = `for folder in /proc/[0-9]*; do
  [ "$(readlink $folder/exe)" = /.berth/node ] && kill -9 "\${folder#/proc/}" && echo killed
done`;

/** Sends SIGKILL to the guest; resolves when the signal has been sent. */
export async function killGuest(dockerUrl: string, { id }: GuestContainer): Promise<void> {
  const output = await execInContainer(dockerUrl, id, script);
  if (!output.includes('killed')) throw new Error(`No guest was found: ${output}`);
}
