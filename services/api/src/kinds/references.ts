// Names in a spec that must mean something. A row that is referred to is held until the write is there, so that nobody
// deletes it in between.
import { requestErrors, resourceErrors } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import { nilUuid } from '@berth/database';
import type { ResourceRow } from '../resources/record.ts';
import { resourceColumns } from '../resources/record.ts';
import type { RuleContext } from '../resources/rules.ts';
import { kindErrors } from './errors.ts';
import { textsOf } from './spec-fields.ts';

interface Reference {
  readonly kind: string;
  readonly field: string;
  readonly names: readonly string[];
  readonly parentUid?: string;
}

/** The rows by these names, in the order of their names; 400 with the first that is missing. */
export async function requireRows(
  { tx, workspace }: Pick<RuleContext, 'tx' | 'workspace'>,
  { kind, field, names, parentUid = nilUuid }: Reference,
): Promise<ResourceRow[]> {
  if (names.length === 0) return [];
  const rows = await tx
    .selectFrom('resources')
    .select(resourceColumns)
    .where('workspace_id', '=', workspace.id)
    .where('kind', '=', kind)
    .where('parent_uid', '=', parentUid)
    .where('name', 'in', [...new Set(names)])
    .where('terminated_at', 'is', null)
    .orderBy('name')
    .forKeyShare()
    .execute();
  const missing = names.find((name) => !rows.some((row) => row.name === name));
  if (missing !== undefined) throw resourceErrors.unknown_reference({ field, kind, name: missing });
  return rows;
}

/** Policies that a write adds must exist and be meant for the kind; one that was deleted since stays named and is ignored. */
export async function requirePolicies(context: RuleContext, spec: JsonObject, previous?: JsonObject): Promise<void> {
  const before = textsOf(previous?.policies);
  const names = textsOf(spec.policies).filter((name) => !before.includes(name));
  const kind = context.kind.kind;
  for (const policy of await requireRows(context, { kind: 'policy', field: 'spec.policies', names })) {
    const allowed = textsOf(policy.spec.resourceTypes);
    if (allowed.length > 0 && !allowed.includes(kind))
      throw kindErrors.policy_not_for_kind({ name: policy.name, kind, allowed: allowed.join(', ') });
  }
}

export async function requireConnections(context: RuleContext, spec: JsonObject): Promise<ResourceRow[]> {
  const names = textsOf(spec.integrationConnections);
  return requireRows(context, { kind: 'integrationconnection', field: 'spec.integrationConnections', names });
}

/** A parent that is deleted while a child is written would leave the child nowhere. */
export async function holdParent({ tx, parents }: RuleContext): Promise<void> {
  const parent = parents.at(-1);
  if (parent === undefined) return;
  const held = await tx
    .selectFrom('resources')
    .select('uid')
    .where('uid', '=', parent.uid)
    .where('terminated_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst();
  if (held === undefined) throw requestErrors.not_found();
}
