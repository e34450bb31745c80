// Account and its limits; control-plane sheet 2.2.
import { z } from 'zod';
import { Timestamp } from './text.ts';

export const Account = z
  .object({
    id: z.string(),
    metadata: z.object({ displayName: z.string().optional(), ownerEmail: z.string().optional() }),
    spec: z.object({
      admins: z.array(z.string()).optional(),
      subscription: z.object({ plan: z.string(), tier: z.string() }),
    }),
    createdAt: Timestamp.optional(),
    updatedAt: Timestamp.optional(),
  })
  .meta({ id: 'Account' });

export const Quota = z.object({ resourceType: z.string(), value: z.number() }).meta({ id: 'Quota' });
