import type { IsolationClass } from '@berth/contract';

export interface PoolWish {
  readonly image: string;
  readonly isolation: IsolationClass;
  readonly memoryMb: number;
}

/**
 * Which sandboxes can stand for each other before they have an owner. Memory is given when one is adopted, but gVisor shows
 * those inside what it was started with.
 */
export const poolOf = ({ image, isolation, memoryMb }: PoolWish): string =>
  isolation === 'gvisor' ? `gvisor ${memoryMb} ${image}` : `runc ${image}`;
