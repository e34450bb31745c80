// What may share the kernel of its machine (runc) and what has to run under gVisor. The operator decides; a tenant may ask for runc
// only where the operator lets it. Pure.
import type { IsolationClass } from '@berth/contract';

export const runcRules = ['nothing', 'mk2-workloads', 'everything'] as const;
export type RuncRule = (typeof runcRules)[number];

export interface Isolated {
  readonly isolation: IsolationClass;
  /** Runs on runc where no registered runner has gVisor. A runner that is away for a moment is registered. */
  readonly mayFallBack: boolean;
}

interface Asking {
  readonly runtime: { readonly generation?: string | undefined };
}

/** Agents and functions are workloads; sandboxes run whatever somebody brings, and have a rule of their own. */
type Guarded = 'sandbox' | 'workload';

export function isolationOf(guarded: Guarded, { runtime }: Asking, runcFor: RuncRule): Isolated {
  const isRunc = asksForRunc(runtime.generation) && mayAskForRunc(guarded, runcFor);
  return { isolation: isRunc ? 'runc' : 'gvisor', mayFallBack: runcFor === 'everything' };
}

/** The newer generation is the isolated one; absent means the newest. */
export const asksForRunc = (generation: unknown): boolean => generation === 'mk2';

export const mayAskForRunc = (guarded: Guarded, runcFor: RuncRule): boolean =>
  runcFor === 'everything' || (runcFor === 'mk2-workloads' && guarded === 'workload');
