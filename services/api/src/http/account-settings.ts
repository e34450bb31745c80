import { requestErrors } from '@berth/contract';
import type { Database } from '@berth/database';

export interface AccountSettings {
  readonly id: string;
  readonly tier: string;
  readonly plan: string;
  /** Limits that the operator set for this account alone. */
  readonly quotas: Readonly<Record<string, number>>;
}

export interface AccountSettingsCache {
  get(accountId: string): Promise<AccountSettings>;
}

const freshMs = 1000;
const maxEntries = 10_000;

/** Caches the account row for a second: every response names the tier and every create checks a limit. */
export function createAccountSettings(database: Database, now: () => number = Date.now): AccountSettingsCache {
  const entries = new Map<string, { readonly until: number; readonly settings: Promise<AccountSettings> }>();

  const load = async (accountId: string): Promise<AccountSettings> => {
    const row = await database
      .selectFrom('accounts')
      .select(['id', 'tier', 'plan', 'quotas'])
      .where('id', '=', accountId)
      .executeTakeFirst();
    if (row === undefined) throw requestErrors.not_found();
    return row;
  };

  return {
    get(accountId) {
      const entry = entries.get(accountId);
      if (entry !== undefined && entry.until > now()) return entry.settings;
      if (entries.size >= maxEntries) entries.clear();
      const settings = load(accountId);
      entries.set(accountId, { until: now() + freshMs, settings });
      settings.catch(() => entries.delete(accountId));
      return settings;
    },
  };
}
