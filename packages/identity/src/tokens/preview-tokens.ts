import { randomBytes } from 'node:crypto';
import { hasChecksum, withChecksum } from '../keys/checksum.ts';

const previewTokenBytes = 32;

/** Form of preview tokens with a checksum. Older tokens have 43 characters. */
const previewTokenForm = /^[A-Za-z0-9_-]{49}$/;

export const newPreviewToken = (): string => withChecksum(randomBytes(previewTokenBytes).toString('base64url'));

/** True for a value in the form of a preview token with a wrong checksum. */
export const isInventedPreviewToken = (token: string): boolean => previewTokenForm.test(token) && !hasChecksum(token);
