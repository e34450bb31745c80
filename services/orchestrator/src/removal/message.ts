import { defineMessage } from '@berth/durable';
import { z } from 'zod';

/** "Remove what is left of this deleted workspace": the key is its id. */
export const removalMessage = defineMessage({ name: 'removal', input: z.object({}) });
