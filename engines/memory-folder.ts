// Data of test engines in memory. A test clones and drops a database in half of the CPU time there, and on a busy disk in a fifth of the
// time. The sweep unmounts what is mounted below the folder of a run.
import { spawnSync } from 'node:child_process';
import { runFolder } from './run.ts';

const name = 'memory';

/** Where mounting is not allowed, the folder is an ordinary one. */
export async function mountMemory(): Promise<void> {
  const folder = await runFolder(name);
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'mode=0755', 'berth-tests', folder]);
}

/** Engines in it are found by the sweep, like those in other folders of the run. */
export const memoryFolder = (...parts: string[]): Promise<string> => runFolder(name, ...parts);
