import { BoundedMap } from '@berth/concurrency';
import type { Endpoint, Workload } from '../workloads/workload.ts';

const maxWorkloads = 10_000;

/** Reports instances that a workload no longer has: connections kept open to them would delay their removal. */
export function createRemovalWatcher(onGone: (instance: string) => void): (workload: Workload) => void {
  const last = new BoundedMap<readonly Endpoint[]>(maxWorkloads);
  return ({ uid, endpoints }) => {
    const before = last.get(uid);
    // The cache returns the same list object until it reads the workload again.
    if (before === endpoints) return;
    last.set(uid, endpoints);
    for (const { instance } of before ?? [])
      if (!endpoints.some((endpoint) => endpoint.instance === instance)) onGone(instance);
  };
}
