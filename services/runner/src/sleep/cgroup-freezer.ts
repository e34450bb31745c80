// Freezes through cgroup files, several times faster than through the engine. The engine still sees a running
// container.
import { type Cgroup, cgroupOfContainer } from '../machine/cgroup/find.ts';
import { freezeGroup, isGroupFrozen, thawGroup } from '../machine/cgroup/freeze.ts';
import type { Freezable, Freezer } from './freezer.ts';

export function createCgroupFreezer(): Freezer {
  return {
    async freeze(container) {
      const group = await groupOf(container);
      if (group === undefined) throw new Error('The container has ended.');
      await freezeGroup(group);
    },
    async thaw(container) {
      const group = await groupOf(container);
      if (group === undefined) return;
      await thawGroup(group).catch(async (error: unknown) => {
        // The container may have ended between the two lookups.
        if ((await groupOf(container)) !== undefined) throw error;
      });
    },
    async isFrozen(container) {
      const group = await groupOf(container);
      return group !== undefined && isGroupFrozen(group);
    },
  };
}

const groupOf = ({ pid, containerId }: Freezable): Promise<Cgroup | undefined> =>
  cgroupOfContainer({ id: containerId, pid }, 'freezer');
