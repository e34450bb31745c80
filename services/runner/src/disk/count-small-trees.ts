// Counts the files of several small trees in one process: starting a process takes most of the time of a small count.
import { execFile } from 'node:child_process';
import { bytesPerMb } from '@berth/contract/node';
import { type Amount, nothing, sum } from './written.ts';

const blockBytes = 512;
/** Room for the lines of about 30 000 files. */
const maxOutputBytes = 4 * bytesPerMb;
// Like the single count; each line also has the path at which `find` began.
const findArguments = ['-type', 'd', '-printf', '%b 1 %H\\n', '-o', '-printf', '%b %n %H\\n'];

/** Each tree is a list of paths. Undefined when the trees are too large together, or when the signal aborts. */
export async function countSmallTrees(
  trees: readonly (readonly string[])[],
  signal: AbortSignal,
): Promise<readonly Amount[] | undefined> {
  const paths = trees.flat();
  // Without a path `find` would walk the working folder of the runner.
  const lines = paths.length === 0 ? [] : await find(paths, signal);
  if (lines === undefined) return undefined;
  const amounts = new Map<string, Amount>();
  for (const line of lines) {
    const [blocks = '', names = '', ...path] = line.split(' ');
    const start = path.join(' ');
    const entry = { bytes: (Number(blocks) * blockBytes) / Number(names), files: 1 / Number(names) };
    amounts.set(start, sum(amounts.get(start) ?? nothing, entry));
  }
  return trees.map((tree) => rounded(tree.map((path) => amounts.get(path) ?? nothing).reduce(sum, nothing)));
}

const rounded = ({ bytes, files }: Amount): Amount => ({ bytes: Math.round(bytes), files: Math.round(files) });

const find = (paths: readonly string[], signal: AbortSignal): Promise<readonly string[] | undefined> =>
  new Promise((resolve) => {
    const options = { maxBuffer: maxOutputBytes, signal, killSignal: 'SIGKILL' } as const;
    execFile('nice', ['-n', '19', 'find', ...paths, '-xdev', ...findArguments], options, (error, stdout) => {
      // `find` exits with 1 when files disappear during the walk, which is normal.
      const isWhole = error === null || error.code === 1;
      resolve(isWhole ? stdout.split('\n').filter(Boolean) : undefined);
    });
  });
