// Bodies that take a process long to read: while one of 32 MiB is parsed, nobody else is answered. So those of one account begin one
// after the other, each after the time that its predecessor counts for. A refusal costs a comparison, whatever the body would have cost.
import { type Operation, requestErrors } from '@berth/contract';
import { pause } from '@berth/pace';

export interface LargeBodies {
  /** Returns when the account may send so many bytes; refuses when that is too long from now. */
  turn(account: string, bytes: number): Promise<void>;
}

interface LargeBodyOptions {
  readonly mbPerSecond: number;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<void>;
}

const bytesPerMb = 1_000_000;
const mostWaitMs = 5_000;

export function createLargeBodies({
  mbPerSecond,
  now = () => performance.now(),
  wait = pause,
}: LargeBodyOptions): LargeBodies {
  /** When the next body of an account may begin. */
  const freeAt = new Map<string, number>();
  return {
    async turn(account, bytes) {
      const nowMs = now();
      for (const [each, at] of freeAt) if (at <= nowMs) freeAt.delete(each);
      const beginsAt = freeAt.get(account) ?? nowMs;
      const waitMs = beginsAt - nowMs;
      if (waitMs > mostWaitMs)
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

/** Of a body that is larger than usual ones may be; a body that does not say its length may be as large as the operation takes. */
export function largeBodyBytes(
  { bodyLimitBytes }: Pick<Operation, 'bodyLimitBytes'>,
  contentLength: string | undefined,
  usualBytes: number,
): number | undefined {
  if (bodyLimitBytes === undefined) return undefined;
  const bytes = contentLength === undefined ? bodyLimitBytes : Number(contentLength);
  // One that is larger than the operation takes is refused before it is read.
  return bytes > usualBytes && bytes <= bodyLimitBytes ? bytes : undefined;
}
