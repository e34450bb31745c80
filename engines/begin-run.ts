import { spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { currentRun, isInRun, markOf, openRun, ownerLives, useTemporaryFolder } from './run.ts';
import { removeRun, sweepAbandonedRuns } from './sweep.ts';

const program = resolve(import.meta.dirname, 'remove-run.ts');
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export type Run = {
  /** Removes everything that the run made, except processes for which `isSpared` holds. */
  end(isSpared?: (pid: number) => boolean): Promise<void>;
};

/** Sweeps abandoned runs and opens a run for this process, unless it is already part of one. */
export async function beginRun(): Promise<Run> {
  for (const { mark, error } of await sweepAbandonedRuns()) {
    if (error !== undefined) console.error(`Run ${mark} was left behind and could not be removed:`, error);
  }
  // The owner of a live run removes everything that its processes made.
  const isPart = isInRun() && ownerLives(currentRun()) && currentRun() !== markOf(process.pid);
  if (isPart) return { end: async () => {} };
  const mark = openRun();
  await useTemporaryFolder();
  for (const signal of signals) process.prependOnceListener(signal, () => interrupt(signal));
  return { end: (isSpared) => removeRun(mark, isSpared) };
}

/**
 * Runs the removal in another process while this one is blocked: otherwise this process would go on, and fail, during
 * the removal.
 */
function interrupt(signal: (typeof signals)[number]): never {
  spawnSync(process.execPath, [program], { stdio: ['ignore', 'inherit', 'inherit'] });
  process.exit(128 + constants.signals[signal]);
}
