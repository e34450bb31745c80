import { hash } from 'node:crypto';

/**
 * A plain SHA-256. Slow hashes protect passwords chosen by people; these values hold over 230 random bits, which cannot
 * be found by trial, and every request would pay for a slow hash.
 */
export function hashSecret(value: string): Buffer {
  return hash('sha256', value, 'buffer');
}
