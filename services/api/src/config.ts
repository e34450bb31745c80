// Settings of the management API. No secret has a default value.
import { Brand, BrowserOrigins, bytesPerMb } from '@berth/contract';
import { AddressRange, rateLimitSettings } from '@berth/identity';
import { z } from 'zod';
import { publicUrl } from './http/public-url.ts';
import { rangeFault } from './network/address-range.ts';

const Cidr = z.string().superRefine((range, context) => {
  const fault = rangeFault(range);
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
});

const Region = z.object({
  name: z
    .string()
    .regex(/^[a-z0-9-]{1,63}$/)
    .describe('Code that resources name in spec.region.'),
  continent: z.string().default('').describe('Two letters, for location policies.'),
  country: z.string().default('').describe('Two letters, for location policies.'),
  location: z.string().default('').describe('City or site, shown to people.'),
  egressPools: z.array(Cidr).default([]).describe('Addresses that egress IPs are taken from.'),
  publicIpv4: z.array(Cidr).default([]).describe('Ranges that shared egress traffic leaves from.'),
  publicIpv6: z.array(Cidr).default([]).describe('The same for IPv6.'),
});
export type Region = z.infer<typeof Region>;

const Limits = z.record(z.string(), z.number());

const NodeListenerConfig = z.object({
  enabled: z.boolean().default(true).describe('Whether this api takes runners.'),
  host: z.string().default('127.0.0.1').describe('Address that runners connect to; runners on other machines need it.'),
  port: z.int().min(0).max(65_535).default(8081).describe('Port that runners connect to; 0 takes a free one.'),
  lostAfterSeconds: z
    .number()
    .positive()
    .default(30)
    .describe('Silence after which a runner counts as lost and its agents and functions are placed elsewhere.'),
});
export type NodeListenerConfig = z.infer<typeof NodeListenerConfig>;

const Install = z.object({
  archive: z
    .string()
    .optional()
    .describe(
      'Archive of this release, which machines with a join token fetch from /install/release. `berth-server up` keeps it; without it machines are set up by hand.',
    ),
  nodeUrl: z
    .url({ protocol: /^https$/ })
    .optional()
    .describe(
      'Address of the node listener for machines that join: https://host:port. `berth-server up --runners` opens it.',
    ),
  gateways: z
    .array(z.object({ address: z.ipv4(), port: z.int().min(1).max(65_535) }))
    .default([])
    .describe('Addresses at which instances of machines that join reach the gateways; they become runner.gateways.'),
});

/** High enough for a program that creates hundreds of sandboxes at once and polls them. */
const RateLimits = rateLimitSettings({ perSecond: 500, burst: 5_000 });

export const ApiConfig = z.object({
  host: z.string().default('127.0.0.1').describe('Address to listen on.'),
  port: z.int().min(0).max(65_535).default(8080).describe('Port to listen on; 0 takes a free one.'),
  publicUrl: z
    .url()
    .optional()
    .describe('Address that clients use, without the /v0 prefix; the listening address when absent.'),
  gatewayUrl: z
    .url()
    .optional()
    .describe(
      'Address of the gateway that clients use, one of its own host names; run. below api.workloadDomain when absent.',
    ),
  browserOrigins: BrowserOrigins,
  trustedProxies: z
    .array(AddressRange)
    .default([])
    .describe(
      'Edges in front of the api whose X-Forwarded-For is trusted; that of other clients is ignored. Without it, all clients of an edge on another machine count as one address.',
    ),
  rateLimits: RateLimits.prefault({}),
  node: NodeListenerConfig.prefault({}),
  install: Install.prefault({}),
  brand: Brand.prefault({}),
  regions: z
    .array(Region)
    .min(1)
    .prefault([{ name: 'local' }])
    .describe('Regions of this deployment; the first is the default.'),
  workloadDomain: z.string().default('localhost').describe('Domain below which workloads get host names.'),
  workloadUrls: z
    .enum(['hosts', 'paths'])
    .default('hosts')
    .describe(
      'Form of metadata.url. `hosts`: each workload has a host name of its own, which needs a certificate for a wildcard name per region. `paths`: a path of api.gatewayUrl, which needs a certificate for that name alone. The gateway answers both.',
    ),
  workloadScheme: z.enum(['https', 'http']).default('https').describe('Scheme of workload addresses.'),
  workloadPort: z
    .int()
    .min(1)
    .max(65_535)
    .optional()
    .describe('Port of workload addresses, where clients reach the gateway at another port than that of the scheme.'),
  tiers: z
    .record(z.string(), Limits)
    .prefault({
      tier_0: { sandboxes: 10, sandbox_ttl: 7, instances: 50, memory_mb: 32_768 },
      tier_1: { sandboxes: 50, sandbox_ttl: 30, instances: 200, memory_mb: 131_072 },
      tier_2: { sandboxes: 200 },
      tier_9: { sandboxes: 100_000, instances: 100_000, memory_mb: 102_400_000, execution_bytes: 107_374_182_400 },
    })
    .describe(
      'Limits by tier, which override limits. Tier 9 is for accounts that are trusted with the whole deployment.',
    ),
  limits: Limits.default({}).describe(
    'Limits of every account, which override the built-in ones; `/quotas` shows the result.',
  ),
  allowedRegistries: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Registries that images may come from, each as references name it, with its port. default is the registry of references that name none; * is every registry with a public name, as is an empty list. Only listed registries may be in a private network.',
    ),
  createWaitSeconds: z
    .number()
    .positive()
    .default(55)
    .describe(
      'How long the creation of a sandbox waits until the sandbox is reachable; then the response is the record as it is. Keep it below the timeout of any proxy in front.',
    ),
  executionRetentionDays: z
    .number()
    .positive()
    .default(30)
    .describe('How long executions stay readable after they have finished; then they are deleted with their tasks.'),
  logBytesPerDay: z
    .int()
    .positive()
    .default(10_240 * bytesPerMb)
    .describe(
      'Bytes of output of all workloads of a workspace that are stored per day (UTC); further output is dropped, and a line says how much.',
    ),
  features: z.record(z.string(), z.boolean()).default({}).describe('Feature flags of the deployment.'),
  dnsServers: z
    .array(z.string())
    .default([])
    .describe('Resolvers for custom-domain checks (address or address:port); the system resolver when empty.'),
  bodyLimitBytes: z
    .int()
    .positive()
    .default(bytesPerMb)
    .describe('Largest request body, where an operation does not say otherwise.'),
  largeBodyMbPerSecond: z
    .number()
    .positive()
    .default(16)
    .describe(
      'Megabytes of request bodies above bodyLimitBytes that one account may send per second on average; further requests wait up to five seconds and are then refused. While such a body is parsed, the process answers no other request.',
    ),
  databaseConnections: z
    .int()
    .min(2)
    .max(500)
    .default(20)
    .describe('Connections that this process may hold to PostgreSQL; maintenance uses one more.'),
  statementSeconds: z
    .number()
    .min(0.1)
    .max(60)
    .default(5)
    .describe(
      'How long the database may work on one statement of a request; operations that are large by nature have a minute.',
    ),
  connectionsPerAccount: z
    .int()
    .positive()
    .optional()
    .describe(
      'Connections that the requests of one account may hold at a time, so that the rest is left to other accounts; further requests wait. A fifth of all connections when absent.',
    ),
});
export type ApiConfig = z.infer<typeof ApiConfig>;

/** Address of the gateway itself, unless the operator gives it other host names (`gateway.hosts`). */
export const gatewayUrl = ({
  gatewayUrl: given,
  ...config
}: Pick<ApiConfig, 'gatewayUrl' | 'workloadDomain' | 'workloadScheme' | 'workloadPort'>): string =>
  given?.replace(/\/$/, '') ?? publicUrl(`run.${config.workloadDomain}`, config);
