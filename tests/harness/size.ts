// The two sizes of verification. `pnpm verify` proves each guarantee once, on the isolation class where it matters
// most; `--full` proves it on both classes, and in large numbers.
import { randomInt } from 'node:crypto';
import { environment } from '@berth/telemetry';

export const isFull = environment.BERTH_TEST_FULL === '1';

type Runtime = 'runc' | 'runsc';

/** The runtimes that a guarantee is tested on. The small size tests the one named here, the full size both. */
export const runtimesOf = (mattersMost: Runtime): readonly Runtime[] => (isFull ? ['runc', 'runsc'] : [mattersMost]);

/**
 * Seed of random tests; each prints it when it fails. The small size uses the same seed every time, so that it fails
 * only because of a change. The full size uses a new one and finds more. BERTH_TEST_SEED repeats a run.
 */
export const seed = Number(environment.BERTH_TEST_SEED ?? (isFull ? randomInt(2 ** 30) : 16));
