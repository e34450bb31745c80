import { getServers } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import type { RunnerConfig } from './config.ts';

/** A resolver on the machine's own loopback address is not there for anyone inside a container. */
export function resolversFor({ resolvers }: Pick<RunnerConfig, 'resolvers'>): string[] {
  if (resolvers.length > 0) return resolvers;
  return getServers().filter((server) => isIPv4(server) && !server.startsWith('127.'));
}

/** Of the api's node listener. Empty while its name cannot be resolved: then the runner does not reach it either, and asks again. */
export async function ownAddressesOf({ apiUrl }: Pick<RunnerConfig, 'apiUrl'>): Promise<string[]> {
  const found = await lookup(new URL(apiUrl).hostname, { all: true, family: 4 }).catch(() => []);
  return found.map(({ address }) => address);
}
