import type { InstanceLeases } from '../ingress/instance-leases.ts';
import type { RunnerMetrics } from '../metrics.ts';
import type { NodeLink } from '../node/node-link.ts';
import { openSandboxes, type SandboxOptions } from '../sandbox/open-sandboxes.ts';
import type { SandboxServices } from '../sandbox/sandbox-services.ts';

export interface RunnerSandboxOptions extends Omit<SandboxOptions, 'recall' | 'onActivity' | 'onWake'> {
  readonly leases: InstanceLeases;
  readonly link: NodeLink;
  readonly metrics: RunnerMetrics;
}

/** Sandboxes whose sleep depends on the leases of this runner and is reported to the api. */
export async function openRunnerSandboxes({
  leases,
  link,
  metrics,
  ...options
}: RunnerSandboxOptions): Promise<SandboxServices> {
  const sandboxes = await openSandboxes({
    ...options,
    recall: (instance) => leases.recall(instance),
    onActivity: (instance, activity) => link.reportActivity(instance, activity),
    onWake(outcome, seconds) {
      metrics.wakes.inc({ outcome });
      if (outcome === 'woken') metrics.wakeSeconds.observe(seconds);
    },
  });
  leases.watch((instance, count) => sandboxes.sleep.onLeases(instance, count));
  return sandboxes;
}
