import type { ContainerState } from '../driver/driver.ts';

/** One run of a container's processes. */
export interface InstanceRun {
  readonly containerId: string;
  /** Host pid of the first process. */
  readonly pid: number;
  readonly address: string;
}

/** Names one run for metering. The engine still knows it after the run has ended. */
export const runName = ({ id, startedAt }: Pick<ContainerState, 'id' | 'startedAt'>): string => `${id} ${startedAt}`;
