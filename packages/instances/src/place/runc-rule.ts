// Decides which workloads may share the kernel of their machine (runc) and which must run under gVisor. The operator
// decides; a tenant may request runc only where the operator allows it. Pure.
import type { IsolationClass } from '@berth/contract/node';

export const runcRules = ['nothing', 'mk2-workloads', 'everything'] as const;
export type RuncRule = (typeof runcRules)[number];

export interface IsolationNeed {
  readonly isolation: IsolationClass;
  /**
   * Falls back to runc where no registered runner has gVisor. A runner that is away for a moment is still registered.
   */
  readonly mayFallBack: boolean;
}

interface Asking {
  readonly runtime: { readonly generation?: string | undefined };
}

/** Agents, functions and jobs are workloads. Sandboxes run arbitrary code and have a separate rule. */
type WorkloadClass = 'sandbox' | 'workload';

export function isolationNeedOf(guarded: WorkloadClass, { runtime }: Asking, runcFor: RuncRule): IsolationNeed {
  const isRunc = asksForRunc(runtime.generation) && mayAskForRunc(guarded, runcFor);
  return { isolation: isRunc ? 'runc' : 'gvisor', mayFallBack: runcFor === 'everything' };
}

/** The newer generation is the isolated one; absent means the newest. */
export const asksForRunc = (generation: unknown): boolean => generation === 'mk2';

export const mayAskForRunc = (guarded: WorkloadClass, runcFor: RuncRule): boolean =>
  runcFor === 'everything' || (runcFor === 'mk2-workloads' && guarded === 'workload');
