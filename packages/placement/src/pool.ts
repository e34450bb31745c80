import type { ImageSource, IsolationClass } from '@berth/contract';

export interface PoolWish {
  readonly image: string;
  readonly isolation: IsolationClass;
  readonly memoryMb: number;
  /** Whose image it is. A pool of a workspace's image is that workspace's alone. */
  readonly imageSource?: ImageSource | undefined;
}

/**
 * Which sandboxes can stand for each other before they have an owner. Memory is given when one is adopted, but gVisor shows
 * those inside what it was started with.
 */
export function poolOf({ image, isolation, memoryMb, imageSource }: PoolWish): string {
  const kept = isolation === 'gvisor' ? `gvisor ${memoryMb} ${image}` : `runc ${image}`;
  return imageSource?.workspaceId === undefined ? kept : `${kept} ${imageSource.workspaceId}`;
}
