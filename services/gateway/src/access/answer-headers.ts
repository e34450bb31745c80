import type { Brand } from '@berth/contract';
import { platformHeaders } from '../errors.ts';
import { pairsOf } from '../proxy/hop-by-hop.ts';
import { brandedNames, plainName } from './raw-headers.ts';

/** A workload's own answer never looks like one of ours: a 503 that it makes must not be retried as if it had not run. */
export function withoutPlatformHeaders(rawHeaders: readonly string[], brand: Brand): string[] {
  const { prefix } = brandedNames(brand);
  const kept: string[] = [];
  for (const [name, value] of pairsOf(rawHeaders)) {
    const plain = plainName(name);
    if (!plain.startsWith(prefix) || !isOfPlatform(plain, brand)) kept.push(name, value);
  }
  return kept;
}

const isOfPlatform = (name: string, brand: Brand): boolean =>
  Object.values(platformHeaders(brand)).some((ours) => ours.toLowerCase() === name);
