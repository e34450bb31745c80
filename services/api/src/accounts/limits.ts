// Limits of an account: built in, then the deployment's, then the tier's, then the account's own.
import type { ApiConfig } from '../config.ts';
import type { AccountSettings } from './settings.ts';

const unlimited = 1_000_000_000;

const builtInLimits: Readonly<Record<string, number>> = {
  agents: unlimited,
  custom_domains: 1000,
  functions: unlimited,
  integrations: 10_000,
  job_concurrent_tasks: 1000,
  job_parallel_executions: 1000,
  jobs: unlimited,
  memory: 262_144,
  models: unlimited,
  policies: 10_000,
  previews: unlimited,
  revisions: 5,
  sandbox_enforced_ttl: 0,
  sandbox_ttl: -1,
  sandboxes: unlimited,
  service_accounts: 10_000,
  triggers: 100,
  users: 100_000,
  volume_size: 1_048_576,
  volume_template_versions: 100,
  volume_templates: 10_000,
  volumes: unlimited,
};

export function limitsOf(
  account: AccountSettings,
  config: Pick<ApiConfig, 'limits' | 'tiers'>,
): Readonly<Record<string, number>> {
  return { ...builtInLimits, ...config.limits, ...config.tiers[account.tier], ...account.quotas };
}

export function limitOf(
  account: AccountSettings,
  config: Pick<ApiConfig, 'limits' | 'tiers'>,
  resourceType: string,
): number {
  return limitsOf(account, config)[resourceType] ?? unlimited;
}
