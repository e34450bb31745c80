import type { IsolationClass } from '@berth/contract/node';

/** Many awake gVisor containers make a machine unreachable: each uses CPU even when its processes wait. */
const tasksPerCore = { gvisor: 6, runc: 16 };

/** Number of tasks that a machine runs at once when its operator sets none. */
export const maxTasks = (isolation: readonly IsolationClass[], cores: number): number =>
  Math.floor(cores) * (isolation.includes('gvisor') ? tasksPerCore.gvisor : tasksPerCore.runc);
