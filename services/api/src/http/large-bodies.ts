// Rate limit for large bodies: while a body of 32 MiB is parsed, the process answers no other request. Large bodies of
// one account are therefore spaced, each delayed by the time that the previous one counts for. A refusal costs only a
// comparison, whatever the size of the body.

import { pause } from '@berth/concurrency';
import { bytesPerMb, type Operation, requestErrors } from '@berth/contract';

export interface LargeBodies {
  /** Resolves when the account may send this many bytes; refuses when the wait would be too long. */
  turn(account: string, bytes: number): Promise<void>;
}

interface LargeBodyOptions {
  readonly mbPerSecond: number;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
}

const maxWaitMs = 5_000;

export function createLargeBodies({
  mbPerSecond,
  now = () => performance.now(),
  wait = pause,
}: LargeBodyOptions): LargeBodies {
  /** Earliest start of the next large body, by account. */
  const freeAt = new Map<string, number>();
  return {
    async turn(account, bytes) {
      const nowMs = now();
      for (const [each, at] of freeAt) if (at <= nowMs) freeAt.delete(each);
      const beginsAt = freeAt.get(account) ?? nowMs;
      const waitMs = beginsAt - nowMs;
      if (waitMs > maxWaitMs)
        throw requestErrors.rate_limited({
          refusedBy: 'largeBodies',
          reason: `Large requests of the account came faster than ${mbPerSecond} MB per second.`,
          setting: 'api.largeBodyMbPerSecond',
          retryAfterSeconds: waitMs / 1_000,
        });
      freeAt.set(account, beginsAt + (bytes / bytesPerMb / mbPerSecond) * 1_000);
      if (waitMs > 0) await wait(waitMs);
    },
  };
}

/**
 * Size of a body above the usual limit, otherwise undefined. A body without Content-Length counts with the operation's
 * limit.
 */
export function largeBodyBytes(
  { bodyLimitBytes }: Pick<Operation, 'bodyLimitBytes'>,
  contentLength: string | undefined,
  usualBytes: number,
): number | undefined {
  if (bodyLimitBytes === undefined) return undefined;
  const bytes = contentLength === undefined ? bodyLimitBytes : Number(contentLength);
  // A body above the operation's limit is refused before it is read.
  return bytes > usualBytes && bytes <= bodyLimitBytes ? bytes : undefined;
}
