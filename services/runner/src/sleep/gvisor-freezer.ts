// gVisor's sentry is one process that executes the system calls of all processes inside: SIGSTOP to it stops each of
// them at its next call. One signal is enough, where the engine's pause starts several programs. A sandbox that
// computes without system calls is paused by the engine instead. The kernel's cgroup freezer does not work: gVisor
// would take the processes that it traces for dead.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from '@berth/concurrency';
import type { Driver } from '../driver/driver.ts';
import { signalContainer } from '../driver/signal-container.ts';
import { cgroupOfContainer, processesIn } from '../machine/cgroup/find.ts';
import type { Freezable, Freezer } from './freezer.ts';

/** Each pause or unpause costs the engine a sizeable process: many at once would take memory from waking sandboxes. */
const maxConcurrent = { thaws: 8, freezes: 2 };
/** Number of checks: running threads reach their next system call in that time, or the engine has to pause them. */
const looks = 50;
const lookMs = 10;
/** The sandbox counts as quiet after this many consecutive checks without a running thread. */
const quietLooks = 2;

export function createGvisorFreezer(driver: Pick<Driver, 'pause' | 'unpause' | 'inspect'>): Freezer {
  const thaws = new Semaphore(maxConcurrent.thaws);
  const freezes = new Semaphore(maxConcurrent.freezes);
  /** Sandboxes frozen by SIGSTOP alone; for all others the engine is asked for their state. */
  const onlyStopped = new Set<string>();

  const isPaused = async ({ containerId }: Freezable): Promise<boolean> =>
    (await driver.inspect(containerId))?.status === 'paused';
  const isFrozen: Freezer['isFrozen'] = async (sandbox) => (await isStopped(sandbox)) || isPaused(sandbox);

  async function pause(sandbox: Freezable): Promise<void> {
    try {
      await freezes.run(() => driver.pause(containerOf(sandbox)));
    } catch (error) {
      // The engine refuses to pause a paused container.
      if (!(await isPaused(sandbox))) throw error;
    }
  }

  async function unpause(sandbox: Freezable): Promise<void> {
    try {
      await thaws.run(() => driver.unpause(containerOf(sandbox)));
    } catch (error) {
      if (await isPaused(sandbox)) throw error;
    }
  }

  return {
    isFrozen,
    async freeze(sandbox) {
      if (await isFrozen(sandbox)) return;
      await signalContainer(containerOf(sandbox), 'SIGSTOP');
      // If quietness cannot be checked, the engine pauses, or reports that the container has ended.
      if (await isQuiet(sandbox).catch(() => false)) {
        onlyStopped.add(sandbox.containerId);
        return;
      }
      await signalContainer(containerOf(sandbox), 'SIGCONT');
      await pause(sandbox);
    },
    async thaw(sandbox) {
      await signalContainer(containerOf(sandbox), 'SIGCONT');
      if (onlyStopped.delete(sandbox.containerId)) return;
      if (await isPaused(sandbox)) await unpause(sandbox);
    },
  };
}

const containerOf = ({ containerId, pid, isolation }: Freezable) => ({ id: containerId, pid, isolation });

const isStopped = async ({ pid }: Freezable): Promise<boolean> => (await stateOf(pid)) === 'T';

/** True when no thread is running or waiting for a core or a disk. */
async function isQuiet(sandbox: Freezable): Promise<boolean> {
  const group = await cgroupOfContainer(containerOf(sandbox), 'freezer');
  if (group === undefined) return false;
  let quiet = 0;
  for (let look = 0; look < looks && quiet < quietLooks; look += 1) {
    await sleep(lookMs);
    const states = (await Promise.all((await processesIn(group)).map(threadStates))).flat();
    const goesOn = states.some((state) => state === 'R' || state === 'D');
    quiet = goesOn || !(await isStopped(sandbox)) ? 0 : quiet + 1;
  }
  return quiet === quietLooks;
}

/** Empty for a process that has ended meanwhile. */
async function threadStates(pid: string): Promise<(string | undefined)[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  return Promise.all(threads.map((thread) => stateOf(`${pid}/task/${thread}`)));
}

/** State letter in `/proc/…/stat`: it follows the name in brackets, which may contain any character. */
async function stateOf(process: number | string): Promise<string | undefined> {
  const text = await readFile(`/proc/${process}/stat`, 'utf8').catch(() => '');
  return /^.*\) (\S)/s.exec(text)?.[1];
}
