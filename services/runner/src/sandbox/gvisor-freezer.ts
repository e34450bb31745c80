// gVisor is one process that carries out what all others inside ask of it: when it stands still, so do they, at their next call. That takes
// a signal, where the engine's pause takes several programs. What computes without ever calling is paused by the engine first.
// The kernel's freezer is no way: gVisor would take what it traces for dead.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Limit } from '@berth/pace';
import { cgroupOfContainer, processesIn } from '../cgroup/find.ts';
import type { Driver } from '../driver/driver.ts';
import { signalContainer } from '../driver/signal-container.ts';
import type { Freezable, Freezer } from './freezer.ts';

/** Each costs the engine a process of some size: many at a time would take the memory of those that wake. */
const most = { thaws: 8, freezes: 2 };
/** What is under way inside comes to its next call in that time, or has to be paused. */
const looks = 50;
const lookMs = 10;
/** Nobody inside wants to compute when so many looks after each other found that. */
const quietLooks = 2;

export function createGvisorFreezer(driver: Pick<Driver, 'pause' | 'unpause' | 'inspect'>): Freezer {
  const thaws = new Limit(most.thaws);
  const freezes = new Limit(most.freezes);
  /** Which the engine has nothing to do with; of others it is asked. */
  const onlyStopped = new Set<string>();

  const isPaused = async ({ containerId }: Freezable): Promise<boolean> =>
    (await driver.inspect(containerId))?.status === 'paused';
  const isFrozen: Freezer['isFrozen'] = async (sandbox) => (await isStopped(sandbox)) || isPaused(sandbox);

  async function pause(sandbox: Freezable): Promise<void> {
    try {
      await freezes.run(() => driver.pause(containerOf(sandbox)));
    } catch (error) {
      // The engine refuses what is so already.
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
      // What cannot be told is left to the engine, also to say that the container has ended.
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

/** Nothing goes on by itself, not even what waits for a core or a disk. */
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

/** A process that has ended meanwhile has none. */
async function threadStates(pid: string): Promise<(string | undefined)[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  return Promise.all(threads.map((thread) => stateOf(`${pid}/task/${thread}`)));
}

/** One letter, after the name in brackets, which may hold anything. */
async function stateOf(process: number | string): Promise<string | undefined> {
  const text = await readFile(`/proc/${process}/stat`, 'utf8').catch(() => '');
  return /^.*\) (\S)/s.exec(text)?.[1];
}
