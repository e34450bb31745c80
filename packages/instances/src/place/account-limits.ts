// Limits of an account: built in, then the deployment's, then the tier's, then the account's own. Every limit in this
// list must be enforced somewhere, because the api shows the list to the account.
import { bytesPerMb } from '@berth/contract';

/** Stands for "no limit", which the API cannot express. */
export const unlimited = 1_000_000_000;

/**
 * Enough for an organization, too little to fill a database or a fleet. The operator
 * overrides them by tier or by account.
 */
const builtInLimits = {
  agents: 10_000,
  applications: 10_000,
  custom_domains: 1_000,
  drives: 10_000,
  egress_gateways: 1_000,
  egress_ips: 1_000,
  /** Total bytes of inputs and settings of all stored executions. */
  execution_bytes: 1_024 * bytesPerMb,
  functions: 10_000,
  images: 10_000,
  /** Instances that exist at once, of any kind, sleeping sandboxes included. */
  instances: 1_000,
  integrations: 10_000,
  /** Tasks of jobs that run at once. */
  job_concurrent_tasks: 1_000,
  /** Executions of jobs that are pending or running at once. */
  job_parallel_executions: 100,
  jobs: 10_000,
  /** MB of one workload. */
  memory: 262_144,
  /** MB that runners have reserved for all instances together. */
  memory_mb: 262_144,
  models: 10_000,
  policies: 10_000,
  previews: 10_000,
  sandbox_enforced_ttl: 0,
  sandbox_ttl: -1,
  sandboxes: 10_000,
  service_accounts: 10_000,
  /** MB of one volume. */
  volume_size: 1_048_576,
  volume_template_versions: 100,
  volume_templates: 10_000,
  volumes: 10_000,
  vpcs: 1_000,
  workspaces: 100,
} as const;

type NamedLimits = Readonly<Record<string, number>>;

/** Limits that the operator configured for the deployment. */
export interface LimitSettings {
  /** Limits of every account. */
  readonly limits: NamedLimits;
  /** Limits by tier; they override `limits`. */
  readonly tiers: Readonly<Record<string, NamedLimits>>;
}

export interface LimitedAccount {
  readonly tier: string;
  /** Limits that the operator set for this account alone. */
  readonly quotas: NamedLimits;
}

export function limitsOf(account: LimitedAccount, { limits, tiers }: LimitSettings): NamedLimits {
  return { ...builtInLimits, ...limits, ...tiers[account.tier], ...account.quotas };
}

export function limitOf(account: LimitedAccount, settings: LimitSettings, resourceType: string): number {
  return limitsOf(account, settings)[resourceType] ?? unlimited;
}
