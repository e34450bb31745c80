import type { Brand } from '@berth/contract';
import { platformHeaders } from '../errors.ts';
import { pairsOf } from '../proxy/hop-by-hop.ts';

/** A workload's own answer never looks like one of ours: a 503 that it makes must not be retried as if it had not run. */
export function withoutPlatformHeaders(rawHeaders: readonly string[], brand: Brand): string[] {
  const ours = new Set(Object.values(platformHeaders(brand)).map((name) => name.toLowerCase()));
  return [...pairsOf(rawHeaders)].filter(([name]) => !ours.has(name.toLowerCase().replaceAll('_', '-'))).flat();
}
