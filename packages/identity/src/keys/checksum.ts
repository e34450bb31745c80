// Keys and tokens end in a checksum of the text before it, so that an invented or mistyped value is refused without a
// database query. The checksum is not a secret: clients that know the rule can compute it, and are limited by the
// lookup lane for unknown keys.
import { hash } from 'node:crypto';

export const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const checksumLength = 6;

const checksumOf = (text: string): string =>
  [...hash('sha256', text, 'buffer').subarray(0, checksumLength)]
    .map((byte) => base62.charAt(byte % base62.length))
    .join('');

export const withChecksum = (text: string): string => text + checksumOf(text);

const hasChecksum = (value: string): boolean =>
  value.slice(-checksumLength) === checksumOf(value.slice(0, -checksumLength));

/** Form of keys with a checksum. Older keys have 40 characters after the prefix and are always looked up. */
const keyForm = /_[0-9A-Za-z]{46}$/;
/** Form of preview tokens with a checksum. Older tokens have 43 characters. */
const previewTokenForm = /^[A-Za-z0-9_-]{49}$/;

/** True for a value in the form of a key with a wrong checksum: it was never issued. */
export const isInventedKey = (bearer: string): boolean => keyForm.test(bearer) && !hasChecksum(bearer);

/** True for a value in the form of a preview token with a wrong checksum. */
export const isInventedPreviewToken = (token: string): boolean => previewTokenForm.test(token) && !hasChecksum(token);
