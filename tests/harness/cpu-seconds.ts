import { readFileSync } from 'node:fs';
import { childrenOf } from './children-of.ts';

/** Clock ticks per second, which Linux fixes for user space. */
const ticks = 100;

/** CPU time of a process and of its descendants, including those already ended and waited for. */
export function cpuSecondsOf(pid: number): number {
  const below = childrenOf(pid).reduce((sum, child) => sum + cpuSecondsOf(child.pid), 0);
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    // utime, stime, cutime and cstime are the fields 14 to 17; the program's name, cut off above, is the second.
    return below + fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0) / ticks;
  } catch {
    return below;
  }
}
