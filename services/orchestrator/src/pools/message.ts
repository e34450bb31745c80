import { defineMessage } from '@berth/durable';
import { z } from 'zod';

/** "Look again at what this runner keeps ready": the key is its id, and everything else stands in the database. */
export const poolMessage = defineMessage({ name: 'pool', input: z.object({}) });
