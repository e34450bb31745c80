// Ingress of a runner: mutual TLS under the node authority, one line and its answer, then tunnels that share the connection, each
// of raw bytes to one instance. HTTP is parsed once, in the gateway.
import { z } from 'zod';
import { DesiredInstance } from './instance.ts';

/** Name in a runner's certificate, by which a gateway knows it whatever its address. */
export const ingressServerName = (runnerId: string): string => `${runnerId}.runner.berth.internal`;

/** Who may connect to a runner's ingress. A gateway opens tunnels; an api makes calls too. */
export const ingressCallers = ['gateway', 'api'] as const;
export type IngressCaller = (typeof ingressCallers)[number];

/** Name in a caller's certificate, by which a runner knows its role. */
export const ingressCallerName = (caller: IngressCaller): string => `${caller}.caller.berth.internal`;

/** The first line of a caller, as JSON. The answer is `open` or `refused`. */
export const LineRequest = z.object({
  /** Asked for by runners of the release before, which know no certificates of callers. */
  secret: z.string().max(200).optional(),
});
export type LineRequest = z.infer<typeof LineRequest>;

/** In which a tunnel is asked for, once the line is open. */
export const TunnelRequest = z.object({
  instance: z.uuid(),
  /** Another than the one that the instance answers on. */
  port: z.int().min(1).max(65_535).optional(),
});
export type TunnelRequest = z.infer<typeof TunnelRequest>;

/**
 * The runner's answer, as JSON; after `open` come the container's bytes, or those of many tunnels.
 * - `unknown`: nothing of that name runs here, nothing was sent to it.
 * - `refused`: the caller's certificate is missing, has ended, or is not of a role that may do this.
 * - `unreachable`: the container does not accept connections.
 * - `leaving`: the runner stops, and takes nothing new; what is open may end.
 * - `busy`: it sleeps, and the machine has no memory to wake it.
 */
export const TunnelAnswer = z.object({
  tunnel: z.enum(['open', 'unknown', 'refused', 'unreachable', 'leaving', 'busy']),
  retryAfterSeconds: z.int().positive().optional(),
});
export type TunnelAnswer = z.infer<typeof TunnelAnswer>;

/**
 * On the runner's own machine a gateway connects to the container itself. It asks on the runner's local socket with one line, and
 * holds that connection for as long as it uses the address: while it does, the runner does not stop the container. With another
 * line the runner asks for the lease back: nothing new may use it, and its holder closes when what it has under way is done. When
 * the runner closes, the container is gone.
 */
export const LeaseRequest = z.object({ instance: z.uuid() });
export const LeaseAnswer = z.discriminatedUnion('lease', [
  z.object({
    lease: z.literal('held'),
    address: z.string(),
    port: z.int(),
    /** How long it may be kept unused; as long as its holder likes when absent. */
    keepMs: z.int().nonnegative().optional(),
  }),
  z.object({ lease: z.literal('unknown') }),
  /** It sleeps, and the machine has no memory to wake it. */
  z.object({ lease: z.literal('busy'), retryAfterSeconds: z.int().positive() }),
]);
export type LeaseAnswer = z.infer<typeof LeaseAnswer>;

export type LeaseNotice = { readonly lease: 'over' };

/**
 * What the api asks of a runner at once, instead of waiting until the runner's stream brings it. Asked for in place of a tunnel:
 * `{"call": name}`, then the body as JSON and the end of the channel; the answer comes the same way. The same on the local
 * socket, where the first line is `{"call": name}`. A call that is cut off is repaired by the stream.
 * - `adopt`: an instance that was made ahead is now the one that is sent.
 * - `wake`, `sleep`: of a sandbox, now.
 */
export const runnerCalls = {
  adopt: DesiredInstance,
  wake: z.object({ instance: z.uuid() }),
  sleep: z.object({ instance: z.uuid() }),
} as const;
export type RunnerCallName = keyof typeof runnerCalls;
export type RunnerCallBody<Name extends RunnerCallName> = z.input<(typeof runnerCalls)[Name]>;
export const RunnerCallRequest = z.object({ call: z.enum(['adopt', 'wake', 'sleep']) });

/**
 * - `done`: it is so now.
 * - `unchanged`: it was so before.
 * - `unknown`: no such instance is here, or it cannot be that.
 * - `busy`: the machine has no memory for it.
 * - `failed`: it was tried; the message says what went wrong.
 */
export const RunnerCallAnswer = z.object({
  call: z.enum(['done', 'unchanged', 'unknown', 'busy', 'failed']),
  message: z.string().max(2_000).optional(),
  retryAfterSeconds: z.int().positive().optional(),
});
export type RunnerCallAnswer = z.infer<typeof RunnerCallAnswer>;
