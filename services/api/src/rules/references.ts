// Checks names in a spec that refer to other resources. A referenced row stays locked until the commit, so that it
// cannot be deleted in between.
import { requestErrors, resourceErrors } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import { liveResource, nilUuid } from '@berth/database';
import { sql } from 'kysely';
import type { ResourceRow } from '../resources/record.ts';
import { resourceColumns } from '../resources/record.ts';
import type { RuleContext } from '../resources/rules.ts';
import { kindErrors } from './errors.ts';
import { textOf, textsOf } from './spec-fields.ts';

interface Reference {
  readonly kind: string;
  readonly field: string;
  readonly names: readonly string[];
  readonly parentUid?: string;
}

/** The rows with these names, ordered by name; responds 400 with the first name that is missing. */
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
    .where(liveResource())
    .orderBy('name')
    .forKeyShare()
    .execute();
  const missing = names.find((name) => !rows.some((row) => row.name === name));
  if (missing !== undefined) throw resourceErrors.unknown_reference({ field, kind, name: missing });
  return rows;
}

/**
 * Policies that a write adds must exist and allow the kind. A policy deleted later stays named in the spec and is
 * ignored.
 */
export async function requirePolicies(context: RuleContext, spec: JsonObject, previous?: JsonObject): Promise<void> {
  const before = textsOf(previous?.policies);
  const names = textsOf(spec.policies).filter((name) => !before.includes(name));
  const kind = context.kind.kind;
  for (const policy of await requireRows(context, { kind: 'policy', field: 'spec.policies', names })) {
    const allowed = textsOf(policy.spec.resourceTypes);
    if (allowed.length > 0 && !allowed.includes(kind))
      throw kindErrors.policy_not_for_kind({ name: policy.name, kind, allowed: allowed.join(', ') });
    const limitsTokens = textOf(policy.spec.type) === 'maxToken';
    if (limitsTokens && kind !== 'model') throw kindErrors.token_policy_elsewhere({ name: policy.name, kind });
    if (!limitsTokens && kind === 'model') throw kindErrors.policy_not_for_models({ name: policy.name });
  }
}

export async function requireConnections(context: RuleContext, spec: JsonObject): Promise<ResourceRow[]> {
  const names = textsOf(spec.integrationConnections);
  return requireRows(context, { kind: 'integrationconnection', field: 'spec.integrationConnections', names });
}

/** A live resource of these kinds that names `name` in a list of its spec. */
export async function findUser(
  { tx, workspace }: Pick<RuleContext, 'tx' | 'workspace'>,
  kinds: readonly string[],
  list: 'policies' | 'integrationConnections',
  name: string,
): Promise<Pick<ResourceRow, 'kind' | 'name'> | undefined> {
  return tx
    .selectFrom('resources')
    .select(['kind', 'name'])
    .where('workspace_id', '=', workspace.id)
    .where('kind', 'in', kinds)
    .where(liveResource())
    .where(sql<boolean>`spec->${sql.lit(list)} ? ${name}`)
    .limit(1)
    .executeTakeFirst();
}

/** Locks the parent: if it were deleted while a child is written, the child would have no parent. */
export async function lockParent({ tx, parents }: RuleContext): Promise<void> {
  const parent = parents.at(-1);
  if (parent === undefined) return;
  const locked = await tx
    .selectFrom('resources')
    .select('uid')
    .where('uid', '=', parent.uid)
    .where(liveResource())
    .forKeyShare()
    .executeTakeFirst();
  if (locked === undefined) throw requestErrors.not_found();
}
