import { backoffMs, pause } from '@berth/concurrency';
import { PullFailed, type PullFault } from '../driver/driver.ts';
import type { Failure } from '../failures/failure.ts';
import type { ImageRequest } from '../images/image-rights.ts';
import { aborted } from './aborted.ts';
import { pullFailed, pulling } from './explain.ts';
import type { WorkerDependencies } from './worker-dependencies.ts';

/** A registry that is restarted is back within this time. */
const patienceMs = 40_000;
/** Faults that may go away by themselves. */
const passing: readonly PullFault[] = ['unavailable', 'no_room'];
const progressMs = 5_000;
/** A present image is found sooner than this, and then no pull is reported. */
const quietMs = 250;

export interface ImagePull {
  readonly images: WorkerDependencies['images'];
  readonly request: ImageRequest;
  readonly signal: AbortSignal;
  readonly report: (message: string) => void;
}

/** Undefined once the image is present, or when the signal aborts. An aborted pull continues for the next instance. */
export async function pullUntilThere({ images, request, signal, report }: ImagePull): Promise<Failure | undefined> {
  const startedAt = performance.now();
  for (let failures = 0; !signal.aborted; ) {
    try {
      await Promise.race([ensureWithProgress({ images, request, signal, report }), aborted(signal)]);
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

async function ensureWithProgress({ images, request, signal, report }: ImagePull): Promise<void> {
  let reportedAt = performance.now() - progressMs + quietMs;
  let bytes: { readonly done: number; readonly total: number } | undefined;
  const reportNow = () => {
    // The pull outlives the desired state: a report after the end of the instance would replace its final report.
    if (signal.aborted || performance.now() - reportedAt < progressMs) return;
    reportedAt = performance.now();
    report(pulling(request.image, bytes));
  };
  const timer = setInterval(reportNow, quietMs);
  try {
    await images.ensure(request, (now) => {
      bytes = now;
    });
  } finally {
    clearInterval(timer);
  }
}
