import { chmod, mkdir, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { Fault, systemCode } from '../http/fault.ts';
import { makeFolders } from './make-folders.ts';
import { newDirectoryMode } from './parse-permissions.ts';
import { withFaults } from './system-fault.ts';

/** Makes a directory and its missing parents. An existing one is left as it is; `mode` applies to the last one only. */
export async function makeDirectory(
  path: string,
  { mode = newDirectoryMode, echoed = path }: { mode?: number | undefined; echoed?: string } = {},
): Promise<void> {
  await withFaults('write', echoed, async () => {
    await makeFolders(posix.dirname(path));
    try {
      await mkdir(path, { mode });
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
      if ((await stat(path)).isDirectory()) return;
      throw new Fault(422, `${echoed} is a file. Delete it first, or choose another name.`);
    }
    // Sets the requested mode regardless of the guest's umask.
    await chmod(path, mode);
  });
}
