// API keys; control-plane sheet 2.3.
import { z } from 'zod';
import { durationSeconds } from '../duration.ts';
import { scopes } from '../scopes.ts';
import { Duration, Timestamp } from './text.ts';

const maxSeconds = 10 * 365 * 86_400;

export const ApiKeyInput = z
  .object({
    name: z.string().max(128).optional(),
    expires_in: Duration.refine((text) => (durationSeconds(text) ?? 0) <= maxSeconds, 'at most 10 years').optional(),
    scopes: z
      .array(z.enum(scopes))
      .max(scopes.length)
      .optional()
      .describe('Absent: the key may do whatever its owner may.'),
  })
  .meta({ id: 'ApiKeyInput' });

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    expires_in: z.string().optional(),
    expiresAt: Timestamp.optional(),
    lastUsedAt: Timestamp.optional(),
    scopes: z.array(z.string()).optional(),
    sub: z.string(),
    sub_type: z.enum(['user', 'service_account']),
    createdAt: Timestamp.optional(),
    updatedAt: Timestamp.optional(),
    createdBy: z.string().optional(),
    updatedBy: z.string().optional(),
  })
  .meta({ id: 'ApiKey' });

/** Only the answer of the creation contains the key's value. */
export const ApiKeyWithValue = ApiKey.extend({ apiKey: z.string() }).meta({ id: 'ApiKeyWithValue' });
