import { defineMessage } from '@berth/durable';
import { z } from 'zod';

/** Reconcile the warm pools of a runner. The key is the runner's id; everything else is in the database. */
export const poolMessage = defineMessage({ name: 'pool', input: z.object({}) });
