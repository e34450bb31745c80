// A domain has one owner in the deployment. It is claimed as a row of `host_labels` with an empty region, so that the
// primary key decides between two simultaneous claims.
import type { DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';
import type { ResourceRow } from '../resources/record.ts';
import { kindErrors } from '../rules/errors.ts';
import { afterRelease } from '../rules/host-labels.ts';
import { domainsAbove } from './records.ts';

const everyRegion = '';

export async function claimDomain(
  tx: DatabaseTransaction,
  workspaceId: string,
  { name, uid }: Pick<ResourceRow, 'name' | 'uid'>,
): Promise<void> {
  const claim = (label: string) =>
    tx
      .insertInto('host_labels')
      .values({ region: everyRegion, label, resource_uid: uid })
      .onConflict((conflict) => conflict.doNothing())
      .returning('label')
      .executeTakeFirst();
  const claimed = (await claim(name)) ?? (await afterRelease(tx, everyRegion, name, claim));
  if (claimed === undefined) throw kindErrors.domain_taken({ name });
  await requireNoOwnerAbove(tx, workspaceId, name);
}

/**
 * Only a verified domain blocks claims on names below it: otherwise any workspace could claim co.uk unverified and
 * block every name under it.
 */
export async function requireNoOwnerAbove(tx: DatabaseTransaction, workspaceId: string, name: string): Promise<void> {
  const owner = await tx
    .selectFrom('host_labels')
    .innerJoin('resources', 'resources.uid', 'host_labels.resource_uid')
    .innerJoin('workspaces', 'workspaces.id', 'resources.workspace_id')
    .select('resources.uid')
    .where('host_labels.region', '=', everyRegion)
    .where('host_labels.label', 'in', ['', ...domainsAbove(name)])
    .where('resources.workspace_id', '<>', workspaceId)
    .where(sql<boolean>`resources.spec->>'status' = 'verified'`)
    .limit(1)
    .executeTakeFirst();
  if (owner !== undefined) throw kindErrors.domain_taken({ name });
}
