// The operator's master keys wrap the data keys kept in Postgres. They come from configuration and are never stored.
import { z } from 'zod';
import { decrypt, encrypt, keyBytes } from './cipher.ts';
import { SealError } from './seal.ts';

function decodeKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^[\w+/-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  return undefined;
}

const isOneByteRepeated = (key: Buffer): boolean => key.every((byte) => byte === key[0]);

// Error messages never quote the key: they end up in logs.
const MasterKeyText = z
  .string()
  .trim()
  .transform((text, context) => {
    const key = decodeKey(text);
    if (key?.length === keyBytes && !isOneByteRepeated(key)) return key;
    context.addIssue({
      code: 'custom',
      message: 'must be 32 random bytes in base64 or hex. Make one with `openssl rand -base64 32`',
      input: undefined,
    });
    return z.NEVER;
  });

const MasterKey = z.object({
  id: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/,
      'up to 63 letters, digits, dots, dashes and underscores, such as 2026-05',
    )
    .describe('Name of the key, stored with every data key it wraps; never use one again.'),
  key: MasterKeyText.describe('32 random bytes in base64, base64url or hex.'),
});

export const MasterKeys = z
  .array(MasterKey)
  .min(1, 'at least one master key is needed; there is no default. Make one with `openssl rand -base64 32`')
  .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, 'two master keys have the same id')
  .refine(
    (keys) => new Set(keys.map(({ key }) => key.toString('hex'))).size === keys.length,
    'two master keys have the same value',
  )
  .describe('The first key wraps data keys; the others only unwrap data keys that were wrapped before a rotation.');

export interface MasterKeyRing {
  readonly currentId: string;
  wrap(data: Buffer, context: string): { masterKeyId: string; wrapped: Buffer };
  unwrap(masterKeyId: string, wrapped: Buffer, context: string): Buffer;
}

const version = 1;

export function masterKeyRing(keys: z.infer<typeof MasterKeys>): MasterKeyRing {
  const [current] = keys;
  if (current === undefined) throw new Error('At least one master key is needed.');
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  const authenticated = (id: string, context: string) => `wrap.v${version}.${id}.${context}`;
  return {
    currentId: current.id,
    wrap: (data, context) => ({
      masterKeyId: current.id,
      wrapped: Buffer.concat([Buffer.of(version), encrypt(current.key, data, authenticated(current.id, context))]),
    }),
    unwrap(masterKeyId, wrapped, context) {
      const key = byId.get(masterKeyId);
      if (key === undefined) {
        throw new SealError(
          `A data key is wrapped by master key ${masterKeyId}, which is not configured. Add it back after the first one, then rotate again.`,
        );
      }
      if (wrapped[0] !== version) throw new SealError('A wrapped data key has an unknown form.');
      try {
        return decrypt(key, wrapped.subarray(1), authenticated(masterKeyId, context));
      } catch (cause) {
        throw new SealError(
          `A data key does not open with master key ${masterKeyId}. Check that this id still has the value it had when the key was made.`,
          cause,
        );
      }
    },
  };
}
