// Limits of what one instance may write. Pure.
import { bytesPerMb } from '@berth/contract/node';
import { type ContainerState, containerLabels } from '../driver/driver.ts';
import type { Amount } from './written.ts';

export interface OperatorLimits {
  /** Limits of every instance. */
  readonly limits: Amount;
  /** Layer limit that gVisor enforces by itself; its containers may write the usual limit in addition. */
  readonly gvisorBytes: number | undefined;
}

export interface InstanceLimits extends Amount {
  /** The instance has a limit of its own, below that of the operator. */
  readonly isOwn: boolean;
}

/**
 * A limit of the instance's own applies where it is below the operator's. It holds for everything that the instance
 * writes, on every isolation class: the engine starts gVisor with one layer limit for all containers.
 */
export function instanceLimits(
  { labels, isolation }: Pick<ContainerState, 'labels' | 'isolation'>,
  { limits, gvisorBytes = 0 }: OperatorLimits,
): InstanceLimits {
  const ownBytes = Number(labels[containerLabels.diskMb]) * bytesPerMb;
  if (ownBytes > 0 && ownBytes < limits.bytes) return { bytes: ownBytes, files: limits.files, isOwn: true };
  return { bytes: limits.bytes + (isolation === 'gvisor' ? gvisorBytes : 0), files: limits.files, isOwn: false };
}
