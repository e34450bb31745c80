// Counts deleted files that are still open: no walk through folders finds them, but they take disk space.
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { bytesPerMb } from '@berth/contract/node';
import { cgroupOf, processesIn } from '../machine/cgroup/find.ts';
import { type Amount, nothing } from './written.ts';

const blockBytes = 512;
const maxOutputBytes = 64 * bytesPerMb;
// Searches open and memory-mapped files; prints device, inode and blocks of each, and the folder of its process.
const findArguments = ['-maxdepth', '1', '-type', 'f', '-links', '0', '-printf', '%D %i %b %H\\n'];

interface Container {
  /** Devices on which files count. Files in memory do not: memory has its own limit. */
  readonly devices: readonly number[];
  /** Folders with the open and memory-mapped files of each process. */
  readonly places: readonly string[];
  /** By device and inode, because several processes may hold a file. */
  readonly blocksOf: Map<string, number>;
}

/** Amounts of several containers. Each pid is any process of its container; undefined when the container does not run. */
export async function countUnlinked(
  pids: readonly (number | undefined)[],
  folder: string,
  signal: AbortSignal,
): Promise<readonly Amount[]> {
  const containers = await Promise.all(pids.map((pid) => containerOf(pid, folder)));
  const containerAt = new Map(containers.flatMap((container) => container.places.map((place) => [place, container])));
  if (containerAt.size === 0 || signal.aborted) return pids.map(() => nothing);
  for (const line of (await find(['-L', ...containerAt.keys(), ...findArguments], signal)).split('\n')) {
    const [device = '', inode = '', blocks = '', place = ''] = line.split(' ');
    const container = containerAt.get(place);
    if (container?.devices.includes(Number(device))) container.blocksOf.set(`${device} ${inode}`, Number(blocks));
  }
  return containers.map(({ blocksOf }) => {
    const blocks = [...blocksOf.values()].reduce((all, one) => all + one, 0);
    return { bytes: blocks * blockBytes, files: blocksOf.size };
  });
}

async function containerOf(pid: number | undefined, folder: string): Promise<Container> {
  if (pid === undefined) return { devices: [], places: [], blocksOf: new Map() };
  const deviceOf = (path: string): Promise<number> =>
    stat(path).then(
      ({ dev }) => dev,
      () => -1,
    );
  const [pids, devices] = await Promise.all([
    processesBeside(pid),
    Promise.all([`/proc/${pid}/root`, folder].map(deviceOf)),
  ]);
  const places = pids.flatMap((each) => [`/proc/${each}/fd`, `/proc/${each}/map_files`]);
  return { devices, places, blocksOf: new Map() };
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
