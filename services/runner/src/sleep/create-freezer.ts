import type { IsolationClass } from '@berth/contract/node';
import type { Driver } from '../driver/driver.ts';
import { createCgroupFreezer } from './cgroup-freezer.ts';
import type { Freezer } from './freezer.ts';
import { createGvisorFreezer } from './gvisor-freezer.ts';

export function createFreezer(driver: Pick<Driver, 'pause' | 'unpause' | 'inspect'>): Freezer {
  const ways: Readonly<Record<IsolationClass, Freezer>> = {
    runc: createCgroupFreezer(),
    gvisor: createGvisorFreezer(driver),
  };
  return {
    freeze: (container) => ways[container.isolation].freeze(container),
    thaw: (container) => ways[container.isolation].thaw(container),
    isFrozen: (container) => ways[container.isolation].isFrozen(container),
  };
}
