// Integration connection: names a known third party. Control-plane sheet 7 (31): a connection in use cannot be deleted.
import { integrationConnection, resourceErrors } from '@berth/contract';
import { liveResource } from '@berth/database';
import { sql } from 'kysely';
import type { KindRules } from '../resources/rules.ts';
import { textOf } from '../rules/spec-fields.ts';
import { isKnownIntegration } from './catalogue.ts';

export const integrationConnectionRules: KindRules = {
  kind: integrationConnection,
  async beforeCreate(_context, { spec }) {
    requireIntegration(spec.integration);
  },
  async beforeReplace(_context, { spec }, previous) {
    if (spec.integration !== previous.spec.integration) requireIntegration(spec.integration);
  },
  async beforeDelete({ tx, workspace }, { name }) {
    const user = await tx
      .selectFrom('resources')
      .select(['kind', 'name'])
      .where('workspace_id', '=', workspace.id)
      .where('kind', 'in', ['function', 'model'])
      .where(liveResource())
      .where(sql<boolean>`spec->'integrationConnections' ? ${name}`)
      .limit(1)
      .executeTakeFirst();
    if (user === undefined) return;
    throw resourceErrors.in_use({ kind: 'integration connection', name, users: `the ${user.kind} ${user.name}` });
  },
};

function requireIntegration(integration: unknown): void {
  const name = textOf(integration);
  if (name === undefined || isKnownIntegration(name)) return;
  throw resourceErrors.unknown_reference({ field: 'spec.integration', kind: 'integration', name });
}
