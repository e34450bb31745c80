import { getServers } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import type { RunnerConfig } from '../config.ts';

/**
 * DNS resolvers for instances: the configured ones, or else those of the machine. Resolvers on the machine's loopback
 * address are left out, because a container cannot reach them.
 */
export function resolversFor({ resolvers }: Pick<RunnerConfig, 'resolvers'>): string[] {
  if (resolvers.length > 0) return resolvers;
  return getServers().filter((server) => isIPv4(server) && !server.startsWith('127.'));
}

/**
 * IPv4 addresses of the api's node listener. Empty while its name does not resolve: the runner does not reach the api
 * then either, and looks the name up again.
 */
export async function ownAddressesOf({ apiUrl }: Pick<RunnerConfig, 'apiUrl'>): Promise<string[]> {
  const found = await lookup(new URL(apiUrl).hostname, { all: true, family: 4 }).catch(() => []);
  return found.map(({ address }) => address);
}
