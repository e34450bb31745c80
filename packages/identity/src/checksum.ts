// Keys and tokens end in a checksum of what stands before it, so that an invented or mistyped one is refused without a question to
// the database. The checksum is no secret: who knows the rule can compute it. What limits those is the lane for unknown keys.
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

/** Keys made before there was a checksum have 40 characters after the prefix, and are looked up. */
const keyForm = /_[0-9A-Za-z]{46}$/;
/** Older tokens have 43. */
const previewTokenForm = /^[A-Za-z0-9_-]{49}$/;

/** Whether no key like that was ever made. */
export const isInventedKey = (bearer: string): boolean => keyForm.test(bearer) && !hasChecksum(bearer);

/** The same for a token of a preview. */
export const isInventedPreviewToken = (token: string): boolean => previewTokenForm.test(token) && !hasChecksum(token);
