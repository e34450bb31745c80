import * as z from 'zod/mini';

type UpgradeStatus = { status: 'idle'; step: 'none'; version: string };

export type HealthResponse = {
  status: 'ok';
  version: string;
  gitCommit: string;
  buildTime: string;
  /** Named after another runtime for compatibility with clients' types; holds the version of our runtime. */
  goVersion: string;
  os: string;
  arch: string;
  uptime: string;
  uptimeSeconds: number;
  upgradeCount: number;
  startedAt: string;
  lastUpgrade: UpgradeStatus;
};

/** Values that this runtime does not provide are null. */
export type StatsResponse = {
  memory: { usedBytes: number | null; limitBytes: number | null };
  cpu: { usedSeconds: number | null; limitCores: number | null };
  pids: { current: number | null; limit: number | null };
  /** File system that holds the working directory. */
  disk: { path: string; totalBytes: number | null; usedBytes: number | null; freeBytes: number | null };
};

export const UpgradeRequest = z.object({ version: z.optional(z.string()), baseUrl: z.optional(z.string()) });

/** Environment document that the host provides, or that the runner sends to a sandbox when adopting it. */
export const EnvironmentGeneration = z.object({
  generation: z.int().check(z.minimum(0)),
  /** Values other than text are skipped and named in the answer, so that one bad variable does not lose the rest. */
  environment: z.record(z.string(), z.unknown()),
});
export type EnvironmentGeneration = z.infer<typeof EnvironmentGeneration>;

/** `skipped` names the variables that could not be set. */
export type ReloadResponse = { generation: number; applied: number; removed: number; skipped: readonly string[] };

export const TunnelConfigRequest = z.object({ config: z.string().check(z.minLength(1)) });

const Cidr = z.string().check(z.regex(/^[0-9A-Fa-f.:]+\/\d{1,3}$/, 'an address with a prefix length, as 10.0.0.2/32'));
const Key = z.string().check(z.regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, 'base64 of 32 bytes'));

/** Content of `config`, which is base64 of JSON. Unknown keys are ignored. */
export const TunnelConfig = z.object({
  local_ip: Cidr,
  peer_endpoint: z.string().check(z.regex(/^(\[[0-9A-Fa-f:]+\]|[^\s:[\]]+):\d{1,5}$/, 'host:port')),
  peer_public_key: Key,
  private_key: Key,
  mtu: z.optional(z.int().check(z.minimum(68), z.maximum(65_535))),
  listen_port: z.optional(z.int().check(z.minimum(0), z.maximum(65_535))),
  interface_name: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_.-]{1,15}$/, 'a name of at most 15 characters'))),
  allowed_ips: z.optional(z.array(Cidr)),
  persistent_keepalive: z.optional(z.int().check(z.minimum(0), z.maximum(65_535))),
  route_all: z.optional(z.boolean()),
});

const NumberText = z.string().check(z.regex(/^\d{0,10}$/, 'a number that is not negative, as text'));

export const DriveMountRequest = z.object({
  driveName: z
    .string()
    .check(z.regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/, '1 to 128 letters, digits, hyphens, underscores')),
  mountPath: z
    .string()
    .check(z.minLength(1), z.maxLength(512), z.regex(/^(?!(.*\/)?\.\.(\/|$))/s, 'a path without ".." in it')),
  drivePath: z.optional(z.string().check(z.regex(/^\//, 'a path that starts with /'))),
  readOnly: z.optional(z.boolean()),
  uidMap: z.optional(NumberText),
  gidMap: z.optional(NumberText),
});

export type DriveMountList = { mounts: readonly { driveName: string; mountPath: string }[] };
