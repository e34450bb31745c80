import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const takeCore = join(import.meta.dirname, 'take-core.ts');

/**
 * Takes a share of every core in bursts. The real-time class preempts every other process, like a host that gives the
 * core to another machine.
 */
export function steal(percent: number): Disposable {
  const takers = Array.from({ length: percent === 0 ? 0 : availableParallelism() }, (_, core) => take(core, percent));
  return {
    [Symbol.dispose]() {
      for (const taker of takers) taker.stdin?.end();
    },
  };
}

function take(core: number, percent: number): ChildProcess {
  const command = ['--rr', '1', 'taskset', '--cpu-list', String(core), process.execPath, takeCore, String(percent)];
  const taker = spawn('chrt', command, { stdio: ['pipe', 'ignore', 'inherit'] });
  taker.on('exit', (code) => {
    if (code === 0) return;
    console.error('The cores cannot be taken: chrt and taskset (util-linux) and root are needed. Leave out --steal.');
    process.exit(2);
  });
  return taker;
}
