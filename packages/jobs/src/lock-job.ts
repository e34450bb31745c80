import { type DatabaseTransaction, type JsonObject, liveResource } from '@berth/database';
import { sql } from 'kysely';

export interface StartableJob {
  readonly uid: string;
  readonly workspace_id: string;
  readonly spec: JsonObject;
  readonly created_at: Date;
  readonly account: { readonly id: string; readonly tier: string; readonly quotas: Readonly<Record<string, number>> };
}

/** `key share` excludes only the deletion of the job; `no key update` also excludes its writes and runs of `cron`. */
const locks = {
  'key share': sql`for key share of resources`,
  'no key update': sql`for no key update of resources`,
};

/** Undefined when the job or its workspace is gone. */
export async function lockJob(
  tx: DatabaseTransaction,
  uid: string,
  lock: keyof typeof locks,
): Promise<StartableJob | undefined> {
  const { rows } = await sql<StartableJob>`
    select resources.uid, resources.workspace_id, resources.spec, resources.created_at,
      jsonb_build_object('id', accounts.id, 'tier', accounts.tier, 'quotas', accounts.quotas) as account
    from resources
    join workspaces on workspaces.id = resources.workspace_id
    join accounts on accounts.id = workspaces.account_id
    where resources.uid = ${uid} and resources.kind = 'job' and ${liveResource('resources')} ${locks[lock]}`.execute(
    tx,
  );
  return rows[0];
}
