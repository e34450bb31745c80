import { BoundedMap } from '@berth/identity';
import type { Endpoint, Workload } from '../routing/route.ts';

const mostWorkloads = 10_000;

/** Tells of instances that a workload has no longer: connections kept for them would hold up their removal. */
export function createDepartures(onGone: (instance: string) => void): (workload: Workload) => void {
  const last = new BoundedMap<readonly Endpoint[]>(mostWorkloads);
  return ({ uid, endpoints }) => {
    const before = last.get(uid);
    // The same list, until it was read anew.
    if (before === endpoints) return;
    last.set(uid, endpoints);
    for (const { instance } of before ?? [])
      if (!endpoints.some((endpoint) => endpoint.instance === instance)) onGone(instance);
  };
}
