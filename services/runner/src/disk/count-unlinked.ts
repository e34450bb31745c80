// Files that have no name any more and are still open: no walk through folders finds them, and they fill the disk all the same.
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { cgroupOf, processesIn } from '../cgroup/find.ts';
import { type Amount, nothing } from './written.ts';

const blockBytes = 512;
const mostOutputBytes = 64 * 1024 * 1024;
// Through what is open and what is mapped into memory, each as device, number and blocks.
const told = ['-maxdepth', '1', '-type', 'f', '-links', '0', '-printf', '%D %i %b\\n'];

/** `pid` is any process of the container. Only what lies on a disk counts: memory has a limit of its own. */
export async function countUnlinked(pid: number, folder: string, signal: AbortSignal): Promise<Amount> {
  const [pids, devices] = await Promise.all([
    processesBeside(pid),
    Promise.all(
      [`/proc/${pid}/root`, folder].map((path) =>
        stat(path).then(
          ({ dev }) => dev,
          () => -1,
        ),
      ),
    ),
  ]);
  const places = pids.flatMap((each) => [`/proc/${each}/fd`, `/proc/${each}/map_files`]);
  if (places.length === 0 || signal.aborted) return nothing;
  const blocksOf = new Map<string, number>();
  for (const line of (await find(['-L', ...places, ...told], signal)).split('\n')) {
    const [device = '', inode = '', blocks = ''] = line.split(' ');
    if (devices.includes(Number(device))) blocksOf.set(`${device} ${inode}`, Number(blocks));
  }
  const blocks = [...blocksOf.values()].reduce((all, one) => all + one, 0);
  return { bytes: blocks * blockBytes, files: blocksOf.size };
}

async function processesBeside(pid: number): Promise<readonly string[]> {
  const group = await cgroupOf(pid, 'memory');
  return group === undefined ? [] : processesIn(group).catch(() => []);
}

/** What was found until it ended; processes that went away meanwhile make it end with an error. */
const find = (words: readonly string[], signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    const options = { maxBuffer: mostOutputBytes, signal, killSignal: 'SIGKILL' } as const;
    execFile('nice', ['-n', '19', 'find', ...words], options, (_, stdout) => resolve(stdout));
  });
