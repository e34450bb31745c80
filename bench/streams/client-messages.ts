import { z } from 'zod';

export const ClientOrder = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('open'),
    host: z.string(),
    port: z.int(),
    path: z.string(),
    key: z.string(),
    /** Sent with POST; without it the request is a GET. */
    body: z.string().optional(),
    count: z.int(),
    atATime: z.int(),
    /** False: the client stops reading after the first bytes. */
    reads: z.boolean(),
  }),
  z.object({ do: z.literal('count') }),
  /** Closes all connections at once, without waiting for the end of a stream. */
  z.object({ do: z.literal('leave') }),
]);
export type ClientOrder = z.infer<typeof ClientOrder>;

export const ClientReport = z.object({ open: z.int(), broken: z.int(), fewestEvents: z.int() });
export type ClientReport = z.infer<typeof ClientReport>;
