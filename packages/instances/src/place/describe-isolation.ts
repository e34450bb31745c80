// Describes in words how code of different tenants is isolated: in the answer about a
// region, and on the resource itself.
import type { IsolationClass } from '@berth/contract/node';
import type { RuncRule } from './runc-rule.ts';

/**
 * Control-plane sheet 2.8 names two generations of machines without defining them. Here the newer one is the better
 * isolated: gVisor, where a sandbox has its own kernel; on the older one it shares the kernel of its machine.
 */
const generations = { runc: 'mk3.0', gvisor: 'mk3.1' } as const satisfies Record<IsolationClass, string>;

export const nodeGenerationOf = (isolation: IsolationClass): string => generations[isolation];

const words = {
  runc: 'it shares the kernel of its machine',
  gvisor: 'it runs under gVisor, with a kernel of its own',
} as const satisfies Record<IsolationClass, string>;

/** Message of the event that reports a sandbox as deployed. */
export const deployedMessage = (isolation: IsolationClass): string => `Ready; ${words[isolation]}.`;

/** Number of runners of a region that are up, and how many of these have gVisor. */
export interface RunnerCounts {
  readonly up: number;
  readonly withGvisor: number;
}

const mk2Runs = {
  nothing: 'nothing shares the kernel of its machine',
  'mk2-workloads': 'agents, functions and jobs of generation mk2 share the kernel of their machine',
  everything: 'what asks for generation mk2 shares the kernel of its machine',
} as const satisfies Record<RuncRule, string>;

export function describeIsolation({ up, withGvisor }: RunnerCounts, runcFor: RuncRule): string {
  const others = mk2Runs[runcFor];
  if (up === 0) return 'No runner is registered, so how workloads are isolated is not known.';
  if (withGvisor > 0) {
    const where = withGvisor < up ? ', on the runners that have it' : '';
    return `Sandboxes and mk3 workloads run under gVisor${where}; ${others}.`;
  }
  if (runcFor === 'everything') return 'Workloads share the kernel of their machine: no runner has gVisor.';
  return `No runner has gVisor, so sandboxes and mk3 workloads wait; ${others}.`;
}
