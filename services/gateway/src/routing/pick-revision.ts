import type { Endpoint, Traffic } from '../workloads/workload.ts';

/**
 * Picks the revision for a request: the client's earlier revision while it still takes traffic, otherwise a random one
 * in the configured proportion. A revision without a ready instance gives way to a revision with one: a broken canary
 * must not cost requests.
 */
export function pickRevision(
  traffic: Traffic,
  endpoints: readonly Pick<Endpoint, 'revision'>[],
  sticky: string | undefined,
  random: () => number,
): string | undefined {
  const { active, canary } = traffic;
  const chosen = sticky !== undefined && hasShare(traffic, sticky) ? sticky : byChance(traffic, random);
  const isReady = (revision: string | undefined): boolean =>
    revision !== undefined && endpoints.some((endpoint) => endpoint.revision === revision);
  return [chosen, active, canary].find(isReady) ?? chosen;
}

function hasShare({ active, canary, canaryPercent }: Traffic, revision: string): boolean {
  if (revision === canary) return canaryPercent > 0;
  return revision === active && (canary === undefined || canaryPercent < 100);
}

function byChance({ active, canary, canaryPercent }: Traffic, random: () => number): string | undefined {
  return canary !== undefined && random() * 100 < canaryPercent ? canary : active;
}
