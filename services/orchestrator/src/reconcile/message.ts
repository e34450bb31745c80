import { defineMessage } from '@berth/durable';
import { z } from 'zod';

/** "Look again at this resource": the key is its uid, and everything else stands in the database. */
export const reconcileMessage = defineMessage({ name: 'reconcile', input: z.object({}) });
