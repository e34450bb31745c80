// Node protocol: what a runner and the api say to each other, over mutual TLS. A runner joins once with a token, then holds
// one stream (everything it should run, then changes), and sends heartbeats, reports and log lines beside it.
import { z } from 'zod';
import { DesiredInstance, InstanceReport, IsolationClass } from './instance.ts';

export const nodeProtocolVersion = 1;

/** Name in the certificate of every api's node listener: runners reach it by whatever address, and check this. */
export const nodeServerName = 'node-api.berth.internal';

export const nodePaths = {
  join: '/node/v1/join',
  renew: '/node/v1/certificate',
  stream: '/node/v1/stream',
  heartbeat: '/node/v1/heartbeat',
  reports: '/node/v1/reports',
  logs: '/node/v1/logs',
} as const;

const Pem = z.string().max(16_384);

export const JoinRequest = z.object({
  token: z.string().max(256),
  name: z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/),
  /** PKCS #10, with the runner's own key: the key never leaves the machine. */
  request: Pem,
});
export const JoinAnswer = z.object({ runnerId: z.uuid(), certificate: Pem, authority: Pem });
export type JoinAnswer = z.infer<typeof JoinAnswer>;

export const RenewRequest = z.object({ request: Pem });
export const RenewAnswer = z.object({ certificate: Pem, authority: Pem });

/** Sandboxes of an image, ready before anybody asks for one. */
export const WarmWish = z.object({
  image: z.string().min(1).max(512),
  count: z.int().nonnegative().max(1_000),
  /** The better one that the runner has, when absent. */
  isolation: IsolationClass.optional(),
  /** Only gVisor cares: it cannot be changed there afterwards. */
  memoryMb: z.int().positive().optional(),
});
export type WarmWish = z.infer<typeof WarmWish>;

/** Opens the stream. */
export const Hello = z.object({
  protocol: z.int(),
  version: z.string().max(64),
  isolation: z.array(IsolationClass).min(1),
  /** Memory that the machine offers to instances. */
  memoryMb: z.int().positive(),
  cpus: z.number().positive(),
  /** Where gateways and the api reach its instances, `host:port`; absent when nobody can. */
  ingress: z.string().max(300).optional(),
  /** By what its ingress knows gateways and the api. A runner of the release before says nothing, and is given secrets. */
  ingressCredential: z.enum(['secret', 'certificate']).default('secret'),
  /** Sandboxes that its operator wants to be kept ready here. */
  warm: z.array(WarmWish).max(100).default([]),
  /** Images used lately are kept ready too, so many of each at most. */
  warmLately: z.int().nonnegative().default(0),
});
export type Hello = z.input<typeof Hello>;

export const StreamMessage = z.discriminatedUnion('type', [
  /** First. Reports and heartbeats name the session; those of an older one change nothing. */
  z.object({
    type: z.literal('welcome'),
    session: z.int(),
    pulseSeconds: z.number(),
    /** For a runner that knows gateways by a secret; new with every session. */
    ingressSecret: z.string().optional(),
    /** For such a runner: what the api shows for calls such as `wake`. */
    callSecret: z.string().optional(),
  }),
  /** All that should run here, and what the api still waits to hear is gone. Whatever else the runner holds must go. */
  z.object({
    type: z.literal('all'),
    instances: z.array(DesiredInstance),
    /** Take nothing new, and go once what they have under way has ended. */
    leaving: z.array(z.uuid()).default([]),
    gone: z.array(z.uuid()),
  }),
  z.object({ type: z.literal('set'), instance: DesiredInstance }),
  z.object({ type: z.literal('unset'), id: z.uuid(), isLeaving: z.boolean().default(false) }),
  /** Sent when nothing else is; a stream that is silent for three of them is dead. */
  z.object({ type: z.literal('pulse') }),
]);
export type StreamMessage = z.infer<typeof StreamMessage>;

export const Heartbeat = z.object({
  session: z.int(),
  freeMemoryMb: z.number().nonnegative(),
  freeDiskPercent: z.number().min(0).max(100),
  instances: z.int().nonnegative(),
  /** Memory or disk is short: nothing should be placed here that can go elsewhere. */
  isPressed: z.boolean().default(false),
});
export type Heartbeat = z.input<typeof Heartbeat>;

export const Reports = z.object({ session: z.int(), reports: z.array(InstanceReport).max(1_000) });
export type Reports = z.infer<typeof Reports>;

export const LogLine = z.object({
  /** Place of the line in everything the instance has said; sent twice, it is stored once. */
  sequence: z.int().nonnegative(),
  /** Nanoseconds since 1970, as text: more than a number holds exactly. */
  timeNs: z.string().regex(/^\d{1,20}$/),
  stream: z.enum(['stdout', 'stderr']),
  text: z.string().max(262_144),
});
export type LogLine = z.infer<typeof LogLine>;

/** Lines of one instance, in order. Acknowledged once they are stored. */
export const LogBatch = z.object({ instance: z.uuid(), lines: z.array(LogLine).max(5_000) });
export type LogBatch = z.infer<typeof LogBatch>;
