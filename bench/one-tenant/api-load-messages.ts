import { z } from 'zod';

const Request = z.object({
  method: z.string(),
  /** Below the api's address. A `#` in path or body becomes a number of its own. */
  path: z.string(),
  body: z.string().optional(),
  /** Appended to the body as the blob of one task. */
  taskBytes: z.number().optional(),
});

export const Load = z.object({
  apiUrl: z.string(),
  caller: z.object({ key: z.string(), workspace: z.string(), address: z.string() }),
  atATime: z.int(),
  /** When it is told to end it goes on until it was refused, or for so long: limits are to be met on slow machines too. */
  refusalWithinSeconds: z.number().default(0),
  requests: z.array(Request),
});
export type Load = z.input<typeof Load>;
export const LoadReport = z.object({
  statuses: z.record(z.string(), z.number()),
  refusals: z.record(z.string(), z.string()),
});
export type LoadReport = z.infer<typeof LoadReport>;
