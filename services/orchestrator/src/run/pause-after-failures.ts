import { backoffMs } from '@berth/concurrency';

const firstPauseMs = 5_000;
const maxPauseMs = 300_000;

/** 5, 10, 20, 40 seconds and so on. Without jitter: a plan is pure, so the same history gives the same pause. */
export const pauseAfterFailuresMs = (failures: number): number =>
  backoffMs(failures, firstPauseMs, maxPauseMs, () => 1);
