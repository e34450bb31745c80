// Keys and tokens end in a checksum of the text before it, so that an invented or mistyped value is refused without a
// database query. The checksum is not a secret: clients that know the rule can compute it, and are limited by the
// lookup lane for unknown keys.
import { hash } from 'node:crypto';
import { base62 } from './base62.ts';

const checksumLength = 6;

const checksumOf = (text: string): string =>
  [...hash('sha256', text, 'buffer').subarray(0, checksumLength)]
    .map((byte) => base62.charAt(byte % base62.length))
    .join('');

export const withChecksum = (text: string): string => text + checksumOf(text);

export const hasChecksum = (value: string): boolean =>
  value.slice(-checksumLength) === checksumOf(value.slice(0, -checksumLength));
