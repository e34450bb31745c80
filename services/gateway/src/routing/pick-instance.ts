import type { Endpoint } from '../workloads/workload.ts';

/**
 * Picks the instance with the fewest requests under way. Ties are broken at random, so that gateways do not all choose
 * the same instance.
 */
export function pickInstance<E extends Pick<Endpoint, 'instance'>>(
  endpoints: readonly E[],
  inFlight: (instance: string) => number,
  random: () => number,
): E | undefined {
  let fewest = Number.POSITIVE_INFINITY;
  let equals = 0;
  let picked: E | undefined;
  for (const endpoint of endpoints) {
    const count = inFlight(endpoint.instance);
    if (count > fewest) continue;
    equals = count < fewest ? 1 : equals + 1;
    fewest = count;
    // The nth tied instance replaces the pick with probability 1/n, which makes all of them equally likely.
    if (random() * equals < 1) picked = endpoint;
  }
  return picked;
}
