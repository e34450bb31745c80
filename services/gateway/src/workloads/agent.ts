import { deployedHeaders, deployedKind } from './deployed-kind.ts';
import type { WorkloadKind } from './workload-kind.ts';

export const agentKind: WorkloadKind = {
  ...deployedKind,
  pathSegment: 'agents',
  labelPrefix: 'agt-',
  callScope: 'agents:call',
  headers: { ...deployedHeaders, keepsThreadId: true },
  sessionHeader: undefined,
};
