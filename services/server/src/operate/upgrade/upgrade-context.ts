import type { Installation } from '../install/installation.ts';
import type { Move } from './plan-move.ts';
import type { ReleaseArchive } from './release-archive.ts';

export interface UpgradeContext extends Installation {
  readonly archive: ReleaseArchive;
  /** File with the public key of the releases; without it only hashes are checked. */
  readonly key: string | undefined;
  readonly move: Move;
  /** A command that was killed has looked, made a backup and unpacked before. */
  readonly isContinued: boolean;
}
