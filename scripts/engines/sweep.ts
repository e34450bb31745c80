import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stopPostgres } from './postgres.ts';

/** A test run that was killed leaves its engine behind; the next run ends it. Folders are named `<pid>-<project>`. */
export async function sweepAbandonedRuns(runsFolder: string): Promise<void> {
  for (const name of await readdir(runsFolder)) {
    if (isAlive(Number.parseInt(name, 10))) continue;
    const dataFolder = join(runsFolder, name);
    await stopPostgres(dataFolder);
    await rm(dataFolder, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
