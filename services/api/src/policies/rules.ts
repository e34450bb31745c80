// Policy. Listings show how many resources name each policy; control-plane sheet 2.11. Token limits: decisions, Models.
import { policy, resourceErrors } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import type { Draft, KindRules, RuleContext } from '../resources/rules.ts';
import { kindErrors } from '../rules/errors.ts';
import { findUser } from '../rules/references.ts';
import { numberOf, section, textOf, textsOf } from '../rules/spec-fields.ts';
import { countUsages, policyUsers } from './usages.ts';

/** Only what matches the policy's type is evaluated, so anything else would restrict nothing. */
const fieldOfType = { location: 'locations', flavor: 'flavors', maxToken: 'maxTokens' } as const;

export const policyRules: KindRules = {
  kind: policy,
  async beforeCreate(_context, draft) {
    complete(draft);
  },
  async beforeReplace(context, draft, previous) {
    complete(draft);
    await keepForUsers(context, previous.name, previous.spec, draft.spec);
  },
  render: {
    async page({ database, workspace }, items, rows) {
      const usages = await countUsages(
        database,
        workspace.id,
        rows.map(({ name }) => name),
      );
      return items.map((item, index) => ({ ...item, usage: usages.get(rows[index]?.name ?? '') }));
    },
  },
};

function complete(draft: Draft): void {
  requireMatchingType(draft.spec);
  if (textOf(draft.spec.type) !== 'maxToken') return;
  requireTokenLimit(draft.spec);
  draft.spec = { ...draft.spec, maxTokens: { step: 1, ...section(draft.spec, 'maxTokens') } };
}

function requireMatchingType(spec: JsonObject): void {
  const type = textOf(spec.type);
  for (const [wanted, field] of Object.entries(fieldOfType)) {
    const isEmpty = Object.keys(spec[field] ?? {}).length === 0;
    if (!isEmpty && type !== wanted) throw kindErrors.policy_type({ field: `spec.${field}`, wanted });
  }
}

function requireTokenLimit(spec: JsonObject): void {
  const { granularity, input, output, total } = section(spec, 'maxTokens');
  if (textOf(granularity) === undefined) throw kindErrors.token_limit_missing({ missing: 'its granularity' });
  // 0 is not checked; control-plane sheet 2.11.
  if (![input, output, total].some((limit) => (numberOf(limit) ?? 0) > 0))
    throw kindErrors.token_limit_missing({ missing: 'its limit' });
  const kinds = textsOf(spec.resourceTypes).filter((kind) => kind !== 'model');
  if (kinds.length > 0) throw kindErrors.token_policy_kinds({ kinds: kinds.join(', ') });
}

/** A policy that its users may not name any more would restrict nothing there, and none of them would tell. */
async function keepForUsers(context: RuleContext, name: string, before: JsonObject, after: JsonObject): Promise<void> {
  const limitsTokens = textOf(after.type) === 'maxToken';
  if (limitsTokens === (textOf(before.type) === 'maxToken')) return;
  const kinds = policyUsers.filter((kind) => (kind === 'model') !== limitsTokens);
  const user = await findUser(context, kinds, 'policies', name);
  if (user !== undefined) throw resourceErrors.in_use({ kind: 'policy', name, users: `the ${user.kind} ${user.name}` });
}
