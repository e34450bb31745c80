// AES-256-GCM as nonce | ciphertext | tag. The nonce is random: one key is safe for 2^32 messages, more than a
// workspace ever writes.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
export const keyBytes = 32;

export function encrypt(key: Buffer, data: Buffer, authenticated: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(authenticated));
  return Buffer.concat([nonce, cipher.update(data), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when data, key or authenticated text differ from those of the encryption. */
export function decrypt(key: Buffer, encrypted: Buffer, authenticated: string): Buffer {
  if (encrypted.length < nonceBytes + tagBytes) throw new Error('The encrypted value is too short.');
  const tagStart = encrypted.length - tagBytes;
  const decipher = createDecipheriv(algorithm, key, encrypted.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(authenticated));
  decipher.setAuthTag(encrypted.subarray(tagStart));
  return Buffer.concat([decipher.update(encrypted.subarray(nonceBytes, tagStart)), decipher.final()]);
}
