// The two sizes of verification. `pnpm verify` proves each guarantee once, on the isolation class where it matters most;
// `--full` proves it on both classes, and in large numbers.
import { environment } from '@berth/telemetry';

export const isFull = environment.BERTH_TEST_FULL === '1';

type Runtime = 'runc' | 'runsc';

/** The runtimes that a guarantee is tested on. The small size tests the one named here, the full size both. */
export const runtimesOf = (mattersMost: Runtime): readonly Runtime[] => (isFull ? ['runc', 'runsc'] : [mattersMost]);
