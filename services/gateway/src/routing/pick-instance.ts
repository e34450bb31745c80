import type { Endpoint } from './route.ts';

/** The one with the fewest requests under way; among equals chance decides, so that gateways do not all choose the same. */
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
    // The nth of equals takes the place with a chance of one in n, which makes all of them equally likely.
    if (random() * equals < 1) picked = endpoint;
  }
  return picked;
}
