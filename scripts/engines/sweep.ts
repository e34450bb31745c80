import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { engines } from './registry.ts';

/** A test run that was killed leaves its engine behind; the next run ends it. A run's folder is `<pid>-<project>/<engine>`. */
export async function sweepAbandonedRuns(runsFolder: string): Promise<void> {
  for (const name of await readdir(runsFolder)) {
    if (isAlive(Number.parseInt(name, 10))) continue;
    const run = join(runsFolder, name);
    for (const engine of engines) await engine.stop(join(run, engine.name));
    await rm(run, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
