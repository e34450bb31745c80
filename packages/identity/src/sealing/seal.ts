// Sealed text: 'v1.' and base64url. The context is authenticated, so a value sealed for one place opens nowhere else.
import { decrypt, encrypt } from './cipher.ts';

const version = 'v1';
const prefix = `${version}.`;

export class SealError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SealError';
  }
}

export function seal(key: Buffer, text: string, context: string): string {
  return prefix + encrypt(key, Buffer.from(text), prefix + context).toString('base64url');
}

export function unseal(key: Buffer, sealed: string, context: string): string {
  if (!sealed.startsWith(prefix)) throw new SealError(`The value is not sealed in the form ${version}.`);
  const body = sealed.slice(prefix.length);
  const encrypted = Buffer.from(body, 'base64url');
  // Node skips characters that are not base64url and drops spare bits, so other texts could decode to the same bytes.
  if (encrypted.toString('base64url') !== body) throw new SealError('The sealed value was altered.');
  try {
    return decrypt(key, encrypted, prefix + context).toString();
  } catch (cause) {
    throw new SealError('The sealed value was altered, or belongs to another key or context.', cause);
  }
}
