/** One run of a container's processes. */
export interface InstanceRun {
  readonly containerId: string;
  /** Host pid of the first process. */
  readonly pid: number;
  readonly address: string;
}
