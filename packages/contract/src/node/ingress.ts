// Ingress of a runner: TLS under the node authority, one line that says who calls, then tunnels that share the connection, each
// of raw bytes to one instance. HTTP is parsed once, in the gateway.
import { z } from 'zod';

/** Name in a runner's certificate, by which a gateway knows it whatever its address. */
export const ingressServerName = (runnerId: string): string => `${runnerId}.runner.berth.internal`;

/** The first line of a gateway, as JSON. The answer is `open` or `refused`. */
export const LineRequest = z.object({ secret: z.string().max(200) });
export type LineRequest = z.infer<typeof LineRequest>;

/** In which a tunnel is asked for, once the line is open. */
export const TunnelRequest = z.object({ instance: z.uuid() });
export type TunnelRequest = z.infer<typeof TunnelRequest>;

/**
 * The runner's answer, as JSON; after `open` come the container's bytes, or those of many tunnels.
 * - `unknown`: nothing of that name runs here, nothing was sent to it.
 * - `refused`: the secret is not that of this session; ask the database again.
 * - `unreachable`: the container does not accept connections.
 * - `leaving`: the runner stops, and takes nothing new; what is open may end.
 */
export const TunnelAnswer = z.object({ tunnel: z.enum(['open', 'unknown', 'refused', 'unreachable', 'leaving']) });
export type TunnelAnswer = z.infer<typeof TunnelAnswer>;

/**
 * On the runner's own machine a gateway connects to the container itself. It asks on the runner's local socket with one line, and
 * holds that connection for as long as it uses the address: while it does, the runner does not stop the container. With another
 * line the runner asks for the lease back: nothing new may use it, and its holder closes when what it has under way is done. When
 * the runner closes, the container is gone.
 */
export const LeaseRequest = z.object({ instance: z.uuid() });
export const LeaseAnswer = z.discriminatedUnion('lease', [
  z.object({ lease: z.literal('held'), address: z.string(), port: z.int() }),
  z.object({ lease: z.literal('unknown') }),
]);
export type LeaseAnswer = z.infer<typeof LeaseAnswer>;

export type LeaseNotice = { readonly lease: 'over' };
