import { resourceErrors } from '@berth/contract';
import { sql } from 'kysely';
import type { ResourceRow } from '../resources/record.ts';
import type { RuleContext } from '../resources/rules.ts';

/**
 * Refuses while previews use the domain: otherwise they would stay reachable under it after another workspace has
 * claimed it.
 */
export async function requireNoPreviews({ tx }: RuleContext, { name, workspace_id }: ResourceRow): Promise<void> {
  const user = await tx
    .selectFrom('preview_hosts')
    .innerJoin('resources', 'resources.uid', 'preview_hosts.preview_uid')
    .select('resources.name')
    .where('preview_hosts.region', '=', '')
    .where(sql<boolean>`(label = ${name} or right(label, ${name.length + 1}) = ${`.${name}`})`)
    .where('resources.workspace_id', '=', workspace_id)
    .limit(1)
    .executeTakeFirst();
  if (user !== undefined)
    throw resourceErrors.in_use({ kind: 'custom domain', name, users: `the preview ${user.name}` });
}
