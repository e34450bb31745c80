// Node protocol between a runner and the api, over mutual TLS. A runner joins once with a token, then holds one stream
// (everything it should run, then changes), and sends heartbeats, reports and log lines beside it.
import { z } from 'zod';
import { DesiredInstance, InstanceReport, IsolationClass } from './instance.ts';
import type { ProtocolRange } from './protocol-range.ts';

/**
 * Versions of this protocol that this release speaks. A new version is for what the other side must understand; what it may skip
 * (fields, types of messages) needs none. The version of the release before stays until the next one.
 */
export const nodeProtocol: ProtocolRange = { oldest: 1, newest: 1 };

/**
 * Name in the certificate of every api's node listener. Runners check it, regardless of the address they connect to.
 */
export const nodeServerName = 'node-api.berth.internal';

export const nodePaths = {
  join: '/node/v1/join',
  renew: '/node/v1/certificate',
  stream: '/node/v1/stream',
  heartbeat: '/node/v1/heartbeat',
  reports: '/node/v1/reports',
  logs: '/node/v1/logs',
  usage: '/node/v1/usage',
  orphans: '/node/v1/orphans',
} as const;

const Pem = z.string().max(16_384);

export const JoinRequest = z.object({
  token: z.string().max(256),
  name: z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/),
  /** PKCS #10 request made with the runner's own key; the key never leaves the machine. */
  request: Pem,
});
export const JoinAnswer = z.object({ runnerId: z.uuid(), certificate: Pem, authority: Pem });
export type JoinAnswer = z.infer<typeof JoinAnswer>;

export const RenewRequest = z.object({ request: Pem });
export const RenewAnswer = z.object({ certificate: Pem, authority: Pem });

/** Warm pool: sandboxes of an image that are ready before a request needs them. */
export const WarmPoolSpec = z.object({
  image: z.string().min(1).max(512),
  count: z.int().nonnegative().max(1_000),
  /** Default: gVisor if the runner has it, otherwise runc. */
  isolation: IsolationClass.optional(),
  /** Matters only under gVisor, where it cannot be changed afterwards. */
  memoryMb: z.int().positive().optional(),
});
export type WarmPoolSpec = z.infer<typeof WarmPoolSpec>;

/** Opens the stream. */
export const Hello = z.object({
  /** Newest version that the runner speaks. */
  protocol: z.int(),
  /** A runner of the previous release omits it, and speaks `protocol` alone. */
  oldestProtocol: z.int().optional(),
  version: z.string().max(64),
  isolation: z.array(IsolationClass).min(1),
  /** Memory that the machine offers to instances. */
  memoryMb: z.int().positive(),
  cpus: z.number().positive(),
  /** Address at which gateways and the api reach its instances, `host:port`; absent when it has none. */
  ingress: z.string().max(300).optional(),
  /**
   * Credential by which its ingress recognises gateways and the api. A runner of the previous release omits it and
   * receives secrets.
   */
  ingressCredential: z.enum(['secret', 'certificate']).default('secret'),
  /** Tasks of jobs that it runs at once. A runner of the previous release omits it and gets none. */
  maxTasks: z.int().nonnegative().default(0),
  /** Warm pools that the operator wants on this runner. */
  warm: z.array(WarmPoolSpec).max(100).default([]),
  /** Maximum size of the warm pools that are also kept for recently used images. */
  warmLately: z.int().nonnegative().default(0),
});
export type Hello = z.input<typeof Hello>;

export const StreamMessage = z.discriminatedUnion('type', [
  /** First message. Reports and heartbeats carry the session; those of an older session are ignored. */
  z.object({
    type: z.literal('welcome'),
    session: z.int(),
    /** Version of the protocol in this session. An api of the previous release omits it and speaks version 1. */
    protocol: z.int().optional(),
    pulseSeconds: z.number(),
    /**
     * Time of the deployment, milliseconds since 1970. A runner stamps usage with it. An api of the previous release omits
     * it, and then nothing is metered.
     */
    nowMs: z.number().optional(),
    /**
     * Another one than before tells that the deployment was restored: the runner then keeps instances that the deployment does
     * not name. An api of the previous release omits it.
     */
    epoch: z.uuid().optional(),
    /** For a runner that recognises gateways by a secret; new in every session. */
    ingressSecret: z.string().optional(),
    /** For such a runner: secret that the api presents for calls such as `wake`. */
    callSecret: z.string().optional(),
  }),
  /**
   * Full state: all instances that should run here, and in `gone` the instances whose removal is not reported yet. The
   * runner removes everything else but orphans.
   */
  z.object({
    type: z.literal('all'),
    instances: z.array(DesiredInstance),
    /** Instances that take nothing new, and are removed once their requests under way have ended. */
    leaving: z.array(z.uuid()).default([]),
    gone: z.array(z.uuid()),
  }),
  z.object({ type: z.literal('set'), instance: DesiredInstance }),
  z.object({ type: z.literal('unset'), id: z.uuid(), isLeaving: z.boolean().default(false) }),
  /** Orphans whose removal the operator has ordered. */
  z.object({ type: z.literal('discard'), orphans: z.array(z.uuid()) }),
  /** Sent when there is nothing else to send. A stream that is silent for three pulse intervals is dead. */
  z.object({ type: z.literal('pulse') }),
]);
export type StreamMessage = z.infer<typeof StreamMessage>;

export const Heartbeat = z.object({
  session: z.int(),
  freeMemoryMb: z.number().nonnegative(),
  freeDiskPercent: z.number().min(0).max(100),
  instances: z.int().nonnegative(),
  /** Memory or disk is short: an instance that can be placed elsewhere should not be placed here. */
  isPressed: z.boolean().default(false),
});
export type Heartbeat = z.input<typeof Heartbeat>;

export const Reports = z.object({ session: z.int(), reports: z.array(InstanceReport).max(1_000) });
export type Reports = z.infer<typeof Reports>;

export const LogLine = z.object({
  /** Position of the line in the whole output of the instance; a line sent twice is stored once. */
  sequence: z.int().nonnegative(),
  /** Nanoseconds since 1970, as text, because a number cannot hold them exactly. */
  timeNs: z.string().regex(/^\d{1,20}$/),
  stream: z.enum(['stdout', 'stderr']),
  text: z.string().max(262_144),
});
export type LogLine = z.infer<typeof LogLine>;

/** Lines of one instance, in order. Acknowledged once they are stored. */
export const LogBatch = z.object({ instance: z.uuid(), lines: z.array(LogLine).max(5_000) });
export type LogBatch = z.infer<typeof LogBatch>;
