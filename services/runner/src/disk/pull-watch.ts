// Keeps image pulls from filling the disk. The engine does not report how much a pull unpacks, so it is estimated: the
// file system's loss since the pull began, less the writes of instances. Concurrent pulls share it equally.
import type { Logger } from '@berth/telemetry';
import { noRoomFor, type PullLimits, unpackedTooLarge } from '../images/pull-limits.ts';
import type { RunningPull } from '../images/shared-pulls.ts';

/** Both change together: a write of an instance lowers `freeBytes` and raises `writtenBytes`; a removal reverses it. */
export interface Level {
  readonly freeBytes: number;
  /** Sum over all instances, as counted. */
  readonly writtenBytes: number;
}

export const takenBytes = (began: Level, now: Level, pulls: number): number =>
  (began.freeBytes - now.freeBytes - (now.writtenBytes - began.writtenBytes)) / Math.max(1, pulls);

export interface PullWatchOptions {
  readonly pullLimits: PullLimits;
  /** Image pulls of this runner, which write to the watched file system. */
  readonly runningPulls: () => readonly RunningPull[];
  readonly onPullAborted: (reason: 'short' | 'too_large') => void;
  readonly logger: Logger;
}

export class PullWatch {
  readonly #options: PullWatchOptions;
  readonly #began = new Map<RunningPull, Level>();

  constructor(options: PullWatchOptions) {
    this.#options = options;
  }

  /** `level` was measured before the pulls that began since the last call. */
  follow(level: Level): void {
    const pulls = this.#options.runningPulls();
    for (const pull of this.#began.keys()) if (!pulls.includes(pull)) this.#began.delete(pull);
    for (const pull of pulls) if (!this.#began.has(pull)) this.#began.set(pull, level);
  }

  /** Pulls that have taken more than their limit. */
  beyond(now: Level): readonly RunningPull[] {
    const { unpackedBytes } = this.#options.pullLimits;
    const isBeyond = (began: Level) => takenBytes(began, now, this.#began.size) > unpackedBytes;
    return [...this.#began].filter(([, began]) => isBeyond(began)).map(([pull]) => pull);
  }

  abortBeyond(now: Level): void {
    const { pullLimits, onPullAborted, logger } = this.#options;
    for (const pull of this.beyond(now)) {
      pull.abort(unpackedTooLarge(pull.image, pullLimits));
      onPullAborted('too_large');
      logger.warn({ event: 'image.too_large', image: pull.image }, 'image pull aborted; it takes too much of the disk');
    }
  }

  /** Pulls are aborted before any instance is ended, because an image can be pulled again. Returns their number. */
  abortAll(freePercent: number): number {
    const { runningPulls, onPullAborted, logger } = this.#options;
    const pulls = runningPulls();
    for (const pull of pulls) {
      pull.abort(noRoomFor(pull.image));
      onPullAborted('short');
      logger.warn({ event: 'image.no_room', image: pull.image, freePercent }, 'image pull aborted; disk nearly full');
    }
    return pulls.length;
  }
}
