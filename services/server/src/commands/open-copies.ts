import type { UsageCopies } from '@berth/usage';

interface Settings {
  readonly url?: string | undefined;
  readonly logRetentionDays: number;
}

/** Copies of the tables in ClickHouse; undefined where the deployment has none. */
export async function openCopies({ url, logRetentionDays }: Settings): Promise<UsageCopies | undefined> {
  if (url === undefined) return undefined;
  const { openUsageCopies } = await import('@berth/usage');
  return openUsageCopies({ url, logRetentionDays });
}
