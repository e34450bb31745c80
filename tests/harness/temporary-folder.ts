import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is removed with its contents when it is disposed. */
export async function temporaryFolder() {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'berth-guest-')));
  await chmod(path, 0o755);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
