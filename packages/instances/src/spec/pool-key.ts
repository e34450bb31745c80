import type { ImageSource, IsolationClass } from '@berth/contract/node';

export interface PoolSpec {
  readonly image: string;
  readonly isolation: IsolationClass;
  readonly memoryMb: number;
  /** Origin of the image. A pool with a workspace's image belongs to that workspace alone. */
  readonly imageSource?: ImageSource | undefined;
}

/**
 * Key of a warm pool: sandboxes with the same key are interchangeable until they have an owner.
 * Memory is set at adoption, but under gVisor processes see the memory that the sandbox was started
 * with, so there it is part of the key.
 */
export function poolKeyOf({ image, isolation, memoryMb, imageSource }: PoolSpec): string {
  const kept = isolation === 'gvisor' ? `gvisor ${memoryMb} ${image}` : `runc ${image}`;
  return imageSource?.workspaceId === undefined ? kept : `${kept} ${imageSource.workspaceId}`;
}
