// Counts deleted files that are still open: no walk through folders finds them, but they take disk space.
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { bytesPerMb } from '@berth/contract/node';
import { cgroupOf, processesIn } from '../machine/cgroup/find.ts';
import { type Amount, nothing } from './written.ts';

const blockBytes = 512;
const maxOutputBytes = 64 * bytesPerMb;
// Searches open and memory-mapped files; prints device, inode and blocks of each.
const findArguments = ['-maxdepth', '1', '-type', 'f', '-links', '0', '-printf', '%D %i %b\\n'];

/** `pid` is any process of the container. Files in memory are not counted, because memory has its own limit. */
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
  for (const line of (await find(['-L', ...places, ...findArguments], signal)).split('\n')) {
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

/** Output up to the end of `find`. Its errors are ignored: processes that exit meanwhile cause one. */
const find = (words: readonly string[], signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    const options = { maxBuffer: maxOutputBytes, signal, killSignal: 'SIGKILL' } as const;
    execFile('nice', ['-n', '19', 'find', ...words], options, (_, stdout) => resolve(stdout));
  });
