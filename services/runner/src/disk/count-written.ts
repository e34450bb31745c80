// Counts the files below some folders in a separate process: a tree of millions of files would block the runner. `find`
// walks by open folders, never by names that a process inside could swap for a link to elsewhere.
import { spawn } from 'node:child_process';
import type { Amount } from './written.ts';

export interface Counting {
  readonly paths: readonly string[];
  /** Counting stops beyond this amount, because the limit is exceeded anyway. */
  readonly limits: Amount;
  /** Stops the count; the amount so far is returned. */
  readonly signal: AbortSignal;
}

export interface Counted extends Amount {
  /** False when there may be more. */
  readonly isWhole: boolean;
}

const blockBytes = 512;
// Prints blocks and link count of each entry. A file with several names is counted in fractions that add up to one. The
// link count of a folder depends on its subfolders, so 1 is printed instead.
const findArguments = ['-type', 'd', '-printf', '%b 1\\n', '-o', '-printf', '%b %n\\n'];

export async function countWritten({ paths, limits, signal }: Counting): Promise<Counted> {
  // Without a path `find` would walk the working folder of the runner.
  if (paths.length === 0) return { bytes: 0, files: 0, isWhole: true };
  return new Promise((resolve, reject) => {
    const child = spawn('nice', ['-n', '19', 'find', ...paths, '-xdev', ...findArguments], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const end = () => child.kill('SIGKILL');
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    let blocks = 0;
    let files = 0;
    let rest = '';
    child.stdout.setEncoding('latin1').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const at = line.indexOf(' ');
        const names = Number(line.slice(at + 1));
        blocks += Number(line.slice(0, at)) / names;
        files += 1 / names;
      }
      if (blocks * blockBytes > limits.bytes || files > limits.files) end();
    });
    child.once('error', reject);
    child.once('close', (code) => {
      signal.removeEventListener('abort', end);
      // `find` exits with 1 when files disappear during the walk, which is normal.
      const isWhole = code === 0 || code === 1;
      resolve({ bytes: Math.round(blocks * blockBytes), files: Math.round(files), isWhole });
    });
  });
}
