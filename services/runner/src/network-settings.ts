import { getServers } from 'node:dns';
import { isIPv4 } from 'node:net';
import type { RunnerConfig } from './config.ts';

/** A resolver on the machine's own loopback address is not there for anyone inside a container. */
export function resolversFor({ resolvers }: Pick<RunnerConfig, 'resolvers'>): string[] {
  if (resolvers.length > 0) return resolvers;
  return getServers().filter((server) => isIPv4(server) && !server.startsWith('127.'));
}
