import { defineMessage } from '@berth/durable';
import { z } from 'zod';

/** Remove the remains of a deleted workspace. The key is the workspace's id. */
export const removalMessage = defineMessage({ name: 'removal', input: z.object({}) });
