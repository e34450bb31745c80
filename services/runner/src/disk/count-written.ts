// Counts what lies below some folders, in a process of its own: a tree of millions of files would hold up everything else the
// runner does. `find` walks by open folders, never by names that somebody inside could swap for a link to elsewhere.
import { spawn } from 'node:child_process';
import type { Amount } from './written.ts';

export interface Counting {
  readonly paths: readonly string[];
  /** Counting ends here: more is known to be too much. */
  readonly most: Amount;
  /** What was counted until then is told. */
  readonly signal: AbortSignal;
}

export interface Counted extends Amount {
  /** Otherwise there may be more than this. */
  readonly isWhole: boolean;
}

const blockBytes = 512;
// Of each: blocks and names. A file that has several names is counted in parts, which add up to one. The links of a folder
// are those inside, and say nothing.
const told = ['-type', 'd', '-printf', '%b 1\\n', '-o', '-printf', '%b %n\\n'];

export function countWritten({ paths, most, signal }: Counting): Promise<Counted> {
  return new Promise((resolve, reject) => {
    const child = spawn('nice', ['-n', '19', 'find', ...paths, '-xdev', ...told], {
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
      if (blocks * blockBytes > most.bytes || files > most.files) end();
    });
    child.once('error', reject);
    child.once('close', (code) => {
      signal.removeEventListener('abort', end);
      // It also ends with 1 when something went away under its feet, which happens all the time.
      const isWhole = code === 0 || code === 1;
      resolve({ bytes: Math.round(blocks * blockBytes), files: Math.round(files), isWhole });
    });
  });
}
