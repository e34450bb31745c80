import type { Brand } from '@berth/contract';
import { guestTimeHeader } from '@berth/contract/guest';
import { platformHeaders } from '../errors/gateway-error.ts';
import { brandedNames, plainName } from './raw-headers.ts';

/**
 * Removes platform headers from a workload's response. Without this, a workload's own 503 could look like a gateway
 * error and be retried as if it had not run.
 */
export function withoutPlatformHeaders(rawHeaders: readonly string[], brand: Brand): string[] {
  const { prefix } = brandedNames(brand);
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const plain = plainName(name);
    if (!plain.startsWith(prefix) || !isOfPlatform(plain, brand)) kept.push(name, rawHeaders[at + 1] ?? '');
  }
  return kept;
}

const isOfPlatform = (name: string, brand: Brand): boolean =>
  [...Object.values(platformHeaders(brand)), guestTimeHeader(brand)].some((ours) => ours.toLowerCase() === name);
