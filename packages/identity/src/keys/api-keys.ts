import { hash, randomBytes, randomInt } from 'node:crypto';
import type { Brand } from '@berth/contract';
import { base62, withChecksum } from './checksum.ts';

/** `randomInt` draws again instead of taking a remainder, so every character is equally likely. */
const randomText = (length: number): string =>
  Array.from({ length }, () => base62.charAt(randomInt(base62.length))).join('');

/**
 * A plain SHA-256. Slow hashes protect passwords chosen by people; these values hold over 230 random bits, which cannot
 * be found by trial, and every request would pay for a slow hash.
 */
export function hashSecret(value: string): Buffer {
  return hash('sha256', value, 'buffer');
}

/** Prefix and checksum let secret scanners recognise a key. */
export function newApiKey(brand: Brand): { id: string; value: string; hash: Buffer } {
  const value = withChecksum(`${brand.short}_${randomText(40)}`);
  return { id: `ak_${randomText(20)}`, value, hash: hashSecret(value) };
}

const previewTokenBytes = 32;

export const newPreviewToken = (): string => withChecksum(randomBytes(previewTokenBytes).toString('base64url'));

export function newClientSecret(): { value: string; hash: Buffer } {
  const value = `cs_${randomText(40)}`;
  return { value, hash: hashSecret(value) };
}

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const longestExpirySeconds = 3650 * 86_400;

/** `30d`, `24h`, `1w`, `15m`, `90s` in seconds; undefined when malformed, not positive, or above ten years. */
export function parseExpiry(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  const seconds = Number(count) * (secondsOf[unit] ?? 0);
  return seconds > 0 && seconds <= longestExpirySeconds ? seconds : undefined;
}
