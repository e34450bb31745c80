import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine, RunningEngine, StartOptions } from '../engine.ts';
import { isAlive } from '../is-alive.ts';

/** Engine that can be killed and started again at the same address. */
export type Killable = {
  readonly name: string;
  readonly url: string;
  /** Pid of the current process. */
  pid(): number;
  kill(): Promise<void>;
  start(): Promise<void>;
};

export async function startKillable<Running extends RunningEngine>(
  engine: Pick<Engine, 'name'> & { start(options: StartOptions): Promise<Running> },
  options: StartOptions,
): Promise<Killable & { readonly first: Running }> {
  const first = await engine.start(options);
  let { pid } = first;
  return {
    name: engine.name,
    url: first.url,
    first,
    pid: () => pid,
    async kill() {
      process.kill(pid, 'SIGKILL');
      // The next process needs the port and the lock on the data, which are released when this process ends.
      while (isAlive(pid)) await sleep(5);
    },
    async start() {
      ({ pid } = await engine.start(options));
    },
  };
}
