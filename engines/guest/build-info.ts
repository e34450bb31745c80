import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Build information for `GET /health`. Without Git, as in a source archive, the commit is unknown. */
export async function buildInfo(clone: string, now: Date): Promise<string> {
  const { version }: { version: string } = JSON.parse(
    await readFile(join(clone, 'services/guest/package.json'), 'utf8'),
  );
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: clone, encoding: 'utf8' });
  return JSON.stringify({ version, gitCommit: (stdout ?? '').trim(), buildTime: now.toISOString() });
}
