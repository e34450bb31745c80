import { defineMessage } from '@berth/durable';
import { z } from 'zod';

/** Reconcile a resource. The key is its uid; everything else is in the database. */
export const reconcileMessage = defineMessage({ name: 'reconcile', input: z.object({}) });
