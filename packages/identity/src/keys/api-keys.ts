import type { Brand } from '@berth/contract';
import { randomBase62 } from './base62.ts';
import { hasChecksum, withChecksum } from './checksum.ts';
import { hashSecret } from './hash-secret.ts';

/** Form of keys with a checksum. Older keys have 40 characters after the prefix and are always looked up. */
const keyForm = /_[0-9A-Za-z]{46}$/;

/** Prefix and checksum let secret scanners recognise a key. */
export function newApiKey(brand: Brand): { id: string; value: string; hash: Buffer } {
  const value = withChecksum(`${brand.short}_${randomBase62(40)}`);
  return { id: `ak_${randomBase62(20)}`, value, hash: hashSecret(value) };
}

/** True for a value in the form of a key with a wrong checksum: it was never issued. */
export const isInventedKey = (bearer: string): boolean => keyForm.test(bearer) && !hasChecksum(bearer);
