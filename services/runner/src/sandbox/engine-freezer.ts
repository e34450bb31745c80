// Through the engine. gVisor has to hear of it: when the kernel freezes its processes behind its back it takes them for dead.
import { Limit } from '@berth/pace';
import type { Driver } from '../driver/driver.ts';
import type { Freezable, Freezer } from './freezer.ts';

/** Each costs the engine a process of some size: many at a time would take the memory of those that wake. */
const most = { thaws: 8, freezes: 2 };

export function createEngineFreezer(driver: Pick<Driver, 'pause' | 'unpause' | 'inspect'>): Freezer {
  const isFrozen: Freezer['isFrozen'] = async ({ containerId }) =>
    (await driver.inspect(containerId))?.status === 'paused';
  const thaws = new Limit(most.thaws);
  const freezes = new Limit(most.freezes);
  return {
    isFrozen,
    async freeze(container) {
      try {
        await freezes.run(() => driver.pause(stateOf(container)));
      } catch (error) {
        // The engine refuses what is so already.
        if (!(await isFrozen(container))) throw error;
      }
    },
    async thaw(container) {
      try {
        await thaws.run(() => driver.unpause(stateOf(container)));
      } catch (error) {
        if (await isFrozen(container)) throw error;
      }
    },
  };
}

const stateOf = ({ containerId, pid, isolation }: Freezable) => ({ id: containerId, pid, isolation });
