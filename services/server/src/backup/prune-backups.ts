import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { timeOf } from './backup-name.ts';

const dayMs = 86_400_000;

/**
 * Removes backups that are older than `keepDays`, and what killed backups left. Other files stay. To be called after a complete
 * new backup only, so that one always remains. Returns the removed names.
 */
export async function pruneBackups(folder: string, keepDays: number, now: Date): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await readdir(folder)) {
    const madeAt = timeOf(name);
    if (madeAt === undefined || now.getTime() - madeAt.getTime() <= keepDays * dayMs) continue;
    await rm(join(folder, name), { recursive: true });
    removed.push(name);
  }
  return removed;
}
