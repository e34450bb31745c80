// What the runner and its ingress processes say to each other. A message is either whole or never sent: both are of one release.
import { TunnelAnswer } from '@berth/contract';
import { z } from 'zod';

const Certificate = z.object({
  key: z.string(),
  certificate: z.string(),
  /** Who may call has a certificate of it. */
  authority: z.string(),
  /** As base64, the same for all processes: a gateway resumes its TLS session with whichever takes its connection. */
  ticketKeys: z.string(),
});
export type Certificate = z.infer<typeof Certificate>;

export const ToIngress = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('listen'),
    host: z.string(),
    port: z.int(),
    /** Where leases are asked for. */
    leaseSocket: z.string(),
    certificate: Certificate,
  }),
  /** The certificate was renewed. */
  z.object({ do: z.literal('show'), certificate: Certificate }),
  /** Accepts nothing more, and ends with its last tunnel. */
  z.object({ do: z.literal('leave') }),
]);
export type ToIngress = z.infer<typeof ToIngress>;

export const FromIngress = z.discriminatedUnion('is', [
  z.object({ is: z.literal('listening'), port: z.int() }),
  z.object({ is: z.literal('failing'), message: z.string() }),
  z.object({
    is: z.literal('counting'),
    tunnels: z.int(),
    /** Since the report before. */
    answers: z.partialRecord(TunnelAnswer.shape.tunnel, z.int()),
  }),
]);
export type FromIngress = z.infer<typeof FromIngress>;
