// Ingress of a runner: mutual TLS under the node authority. After one request line and its answer, tunnels share the
// connection; each carries raw bytes to one instance. HTTP is parsed once, in the gateway.
import { z } from 'zod';
import { DesiredInstance } from './instance.ts';
import type { ProtocolRange } from './protocol-range.ts';

/** Versions of the lines and frames below that this release speaks. The rules are those of `nodeProtocol`. */
export const wireProtocol: ProtocolRange = { oldest: 1, newest: 1 };

/** Versions of a side of the release before, which names none. */
export const unnamedWireProtocol: ProtocolRange = { oldest: 1, newest: 1 };

const Range = z.object({ oldest: z.int(), newest: z.int() });

/** Name in a runner's certificate, by which a gateway recognises the runner at any address. */
export const ingressServerName = (runnerId: string): string => `${runnerId}.runner.berth.internal`;

/** Roles that may connect to a runner's ingress. A gateway opens tunnels; an api also makes calls. */
export const ingressCallers = ['gateway', 'api'] as const;
export type IngressCaller = (typeof ingressCallers)[number];

/** Name in a caller's certificate, by which a runner recognises the caller's role. */
export const ingressCallerName = (caller: IngressCaller): string => `${caller}.caller.berth.internal`;

/** First line from a caller, as JSON. The answer is `open` or `refused`. */
export const ConnectionRequest = z.object({
  /** Required by runners of the previous release, which do not know certificates of callers. */
  secret: z.string().max(200).optional(),
  protocol: Range.default(unnamedWireProtocol),
});
export type ConnectionRequest = z.input<typeof ConnectionRequest>;

/** Request for a tunnel, once the line is open. */
export const TunnelRequest = z.object({
  instance: z.uuid(),
  /** Port of the container; by default the port that the instance answers on. */
  port: z.int().min(1).max(65_535).optional(),
});
export type TunnelRequest = z.infer<typeof TunnelRequest>;

/**
 * Answer of the runner, as JSON; after `open` follow the bytes of the container, or of many tunnels.
 * - `unknown`: no such instance runs here; nothing was sent to it.
 * - `refused`: the caller's certificate is missing, has expired, or is for a role that may not do this; or both sides speak no common
 *   version of this protocol.
 * - `unreachable`: the container does not accept connections.
 * - `leaving`: the runner is stopping and accepts nothing new; open tunnels may finish.
 * - `busy`: the sandbox sleeps, and the machine has no memory to wake it.
 */
export const TunnelAnswer = z.object({
  tunnel: z.enum(['open', 'unknown', 'refused', 'unreachable', 'leaving', 'busy']),
  retryAfterSeconds: z.int().positive().optional(),
  /** Of the runner, in the answer to the first line. */
  protocol: Range.optional(),
});
export type TunnelAnswer = z.infer<typeof TunnelAnswer>;

/**
 * Lease for a gateway on the runner's own machine, which connects to the container directly. The gateway requests the
 * lease with one line on the runner's local socket, and keeps that connection open while it uses the address: meanwhile
 * the runner does not stop the container. The runner recalls the lease with another line: no new request may use it,
 * and the holder closes the connection when its requests under way are done. When the runner closes the connection, the
 * container is gone.
 */
export const LeaseRequest = z.object({ instance: z.uuid() });
export const LeaseAnswer = z.discriminatedUnion('lease', [
  z.object({
    lease: z.literal('held'),
    address: z.string(),
    port: z.int(),
    /** Maximum time to keep the lease unused; unlimited when absent. */
    keepMs: z.int().nonnegative().optional(),
  }),
  z.object({ lease: z.literal('unknown') }),
  /** The sandbox sleeps, and the machine has no memory to wake it. */
  z.object({ lease: z.literal('busy'), retryAfterSeconds: z.int().positive() }),
]);
export type LeaseAnswer = z.infer<typeof LeaseAnswer>;

export type LeaseNotice = { readonly lease: 'over' };

/**
 * Calls from the api to a runner that take effect at once, instead of waiting for the runner's stream. A call takes the
 * place of a tunnel: `{"call": name}`, then the body as JSON and the end of the channel; the answer comes the same way.
 * On the local socket, too, the first line is `{"call": name}`. The stream repairs a call that is cut off.
 * - `adopt`: a warm instance becomes the instance in the body.
 * - `wake`, `sleep`: wakes or freezes a sandbox now.
 */
export const runnerCalls = {
  adopt: DesiredInstance,
  wake: z.object({ instance: z.uuid() }),
  sleep: z.object({ instance: z.uuid() }),
} as const;
export type RunnerCallName = keyof typeof runnerCalls;
export type RunnerCallBody<Name extends RunnerCallName> = z.output<(typeof runnerCalls)[Name]>;
export const RunnerCallRequest = z.object({ call: z.enum(['adopt', 'wake', 'sleep']) });

/**
 * - `done`: the call took effect.
 * - `unchanged`: the instance was in that state already.
 * - `unknown`: no such instance is here, or the call does not apply to it.
 * - `busy`: the machine has no memory for it.
 * - `failed`: the attempt failed; the message explains why.
 */
export const RunnerCallAnswer = z.object({
  call: z.enum(['done', 'unchanged', 'unknown', 'busy', 'failed']),
  message: z.string().max(2_000).optional(),
  retryAfterSeconds: z.int().positive().optional(),
});
export type RunnerCallAnswer = z.infer<typeof RunnerCallAnswer>;
