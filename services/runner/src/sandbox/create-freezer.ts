import type { IsolationClass } from '@berth/contract';
import type { Driver } from '../driver/driver.ts';
import { createCgroupFreezer } from './cgroup-freezer.ts';
import { createEngineFreezer } from './engine-freezer.ts';
import type { Freezer } from './freezer.ts';

export function createFreezer(driver: Pick<Driver, 'pause' | 'unpause' | 'inspect'>): Freezer {
  const ways: Readonly<Record<IsolationClass, Freezer>> = {
    runc: createCgroupFreezer(),
    gvisor: createEngineFreezer(driver),
  };
  return {
    freeze: (container) => ways[container.isolation].freeze(container),
    thaw: (container) => ways[container.isolation].thaw(container),
    isFrozen: (container) => ways[container.isolation].isFrozen(container),
  };
}
