// Messages between the runner and its ingress processes. A message arrives whole or not at all, and both sides are of
// the same release.
import { TunnelAnswer } from '@berth/contract/node';
import { z } from 'zod';

const Certificate = z.object({
  key: z.string(),
  certificate: z.string(),
  /** Callers need a certificate of this authority. */
  authority: z.string(),
  /**
   * Base64, the same in all processes: a gateway can resume its TLS session with any process that accepts its
   * connection.
   */
  ticketKeys: z.string(),
});
export type Certificate = z.infer<typeof Certificate>;

export const ToIngress = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('listen'),
    host: z.string(),
    port: z.int(),
    /** Local socket on which the runner grants leases. */
    leaseSocket: z.string(),
    certificate: Certificate,
  }),
  /** The certificate was renewed. */
  z.object({ do: z.literal('show'), certificate: Certificate }),
  /** The process accepts nothing more and ends with its last tunnel. */
  z.object({ do: z.literal('leave') }),
]);
export type ToIngress = z.infer<typeof ToIngress>;

export const FromIngress = z.discriminatedUnion('is', [
  z.object({ is: z.literal('listening'), port: z.int() }),
  z.object({ is: z.literal('failing'), message: z.string() }),
  z.object({
    is: z.literal('counting'),
    tunnels: z.int(),
    /** Answers since the previous report. */
    answers: z.partialRecord(TunnelAnswer.shape.tunnel, z.int()),
  }),
]);
export type FromIngress = z.infer<typeof FromIngress>;
