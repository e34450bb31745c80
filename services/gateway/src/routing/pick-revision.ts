import type { Endpoint, Traffic } from './route.ts';

/**
 * The revision that takes a request: the one the client met before, while that takes requests at all, else by chance in the
 * proportion that was set. One that has no instance gives way to one that has: a canary that broke must not cost requests.
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
