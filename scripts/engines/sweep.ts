import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from './is-alive.ts';
import { engines } from './registry.ts';

/** A test run that was killed leaves its engines behind; the next run ends them. A run's folder is `<pid>-<project>`. */
export async function sweepAbandonedRuns(runsFolder: string): Promise<void> {
  for (const name of await readdir(runsFolder)) {
    if (!isAlive(Number.parseInt(name, 10))) await removeRun(join(runsFolder, name));
  }
}

/** Ends every engine of a run. Each has a folder `<engine>`, or `<engine>-<anything>` where there may be several. */
export async function removeRun(run: string): Promise<void> {
  for (const folder of await readdir(run)) {
    const engine = engines.find(({ name }) => folder === name || folder.startsWith(`${name}-`));
    await engine?.stop(join(run, folder));
  }
  await rm(run, { recursive: true, force: true });
}
