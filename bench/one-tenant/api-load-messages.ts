import { z } from 'zod';

const Request = z.object({
  method: z.string(),
  /** Path below the api's address. A `#` in path or body is replaced by a unique number. */
  path: z.string(),
  body: z.string().optional(),
  /** Size of the blob of one task, which replaces the body. */
  taskBytes: z.number().optional(),
});

export const Load = z.object({
  apiUrl: z.string(),
  caller: z.object({ key: z.string(), workspace: z.string(), address: z.string() }),
  atATime: z.int(),
  /**
   * After the stop request the load goes on until it is refused, or for this long, so that
   * slow machines reach limits too.
   */
  refusalWithinSeconds: z.number().default(0),
  requests: z.array(Request),
});
export type Load = z.input<typeof Load>;
export const LoadReport = z.object({
  statuses: z.record(z.string(), z.number()),
  refusals: z.record(z.string(), z.string()),
});
export type LoadReport = z.infer<typeof LoadReport>;
