import { randomBase62 } from './base62.ts';
import { hashSecret } from './hash-secret.ts';

export function newClientSecret(): { value: string; hash: Buffer } {
  const value = `cs_${randomBase62(40)}`;
  return { value, hash: hashSecret(value) };
}
