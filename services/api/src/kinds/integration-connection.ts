// Integration connection. Control-plane sheet 7 (31): one that is in use stays.
import { resourceErrors } from '@berth/contract';
import { sql } from 'kysely';
import type { KindRules } from '../resources/rules.ts';

export const integrationConnectionRules: KindRules = {
  async delete({ tx, workspace }, { name }) {
    const user = await tx
      .selectFrom('resources')
      .select(['kind', 'name'])
      .where('workspace_id', '=', workspace.id)
      .where('kind', 'in', ['function', 'model'])
      .where('terminated_at', 'is', null)
      .where(sql<boolean>`spec->'integrationConnections' ? ${name}`)
      .limit(1)
      .executeTakeFirst();
    if (user === undefined) return;
    throw resourceErrors.in_use({ kind: 'integration connection', name, users: `the ${user.kind} ${user.name}` });
  },
};
