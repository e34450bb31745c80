// The epoch of the deployment that this runner has met last, and the orphans of earlier epochs that it keeps. One file, so that
// both always change together: with a new epoch and without its orphans, the next start would remove them.
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Orphan } from '@berth/contract/node';
import { z } from 'zod';

const State = z.object({ epoch: z.uuid().optional(), orphans: z.array(Orphan) });
export type OrphanState = z.infer<typeof State>;

const fileIn = (stateFolder: string): string => join(stateFolder, 'epoch.json');

/** An unreadable file stops the start: without it the runner would take the next epoch for the one it knows. */
export function readOrphanState(stateFolder: string): OrphanState {
  const file = fileIn(stateFolder);
  try {
    return State.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return { orphans: [] };
    throw new Error(
      `${file} cannot be read. It names instances that must not be removed. Restore it from a copy; or remove it if nothing on this machine is needed that the deployment does not know.`,
      { cause },
    );
  }
}

/** Synchronous and durable: what depends on it is removed or kept right after. */
export function writeOrphanState(stateFolder: string, state: OrphanState): void {
  const file = fileIn(stateFolder);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = openSync(`${file}.new`, 'w', 0o600);
  try {
    writeSync(draft, JSON.stringify(state));
    fsyncSync(draft);
  } finally {
    closeSync(draft);
  }
  renameSync(`${file}.new`, file);
}
