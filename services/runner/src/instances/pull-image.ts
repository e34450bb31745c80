import { backoffMs, pause } from '@berth/pace';
import { PullFailed, type PullFault } from '../driver/driver.ts';
import type { Failure } from '../failures/failure.ts';
import type { ImageWish } from '../images/image-rights.ts';
import { aborted } from './aborted.ts';
import { pullFailed, pulling } from './explain.ts';
import type { ConvergeTools } from './tools.ts';

/** A registry that is restarted is back within this time. */
const patienceMs = 40_000;
/** Faults that may go away by themselves. */
const passing: readonly PullFault[] = ['unavailable', 'no_room'];
const progressMs = 5_000;
/** A present image is found sooner than this, and then no pull is reported. */
const quietMs = 250;

export interface ImagePull {
  readonly images: ConvergeTools['images'];
  readonly wish: ImageWish;
  readonly signal: AbortSignal;
  readonly say: (message: string) => void;
}

/** Undefined once the image is present, or when the signal aborts. An aborted pull continues for the next instance. */
export async function pullUntilThere({ images, wish, signal, say }: ImagePull): Promise<Failure | undefined> {
  const startedAt = performance.now();
  for (let failures = 0; !signal.aborted; ) {
    try {
      await Promise.race([ensureAloud({ images, wish, signal, say }), aborted(signal)]);
      return undefined;
    } catch (error) {
      if (!(error instanceof PullFailed)) throw error;
      const isHopeless = !passing.includes(error.fault) || performance.now() - startedAt > patienceMs;
      if (isHopeless) return pullFailed(error.fault, error.message);
      failures += 1;
      await pause(backoffMs(failures, 1_000, 10_000, Math.random), signal);
    }
  }
  return undefined;
}

async function ensureAloud({ images, wish, signal, say }: ImagePull): Promise<void> {
  let saidAt = performance.now() - progressMs + quietMs;
  let bytes: { readonly done: number; readonly total: number } | undefined;
  const sayNow = () => {
    // The pull outlives the desired state: a report after the end of the instance would replace its final report.
    if (signal.aborted || performance.now() - saidAt < progressMs) return;
    saidAt = performance.now();
    say(pulling(wish.image, bytes));
  };
  const timer = setInterval(sayNow, quietMs);
  try {
    await images.ensure(wish, (now) => {
      bytes = now;
    });
  } finally {
    clearInterval(timer);
  }
}
