// Policy. Listings show how many resources name each policy; control-plane sheet 2.11.
import { policy } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import type { KindRules } from '../resources/rules.ts';
import { kindErrors } from '../rules/errors.ts';
import { objectsOf, textOf } from '../rules/spec-fields.ts';
import { countUsages } from './usages.ts';

/** Only the list that matches the policy's type is evaluated, so any other list would restrict nothing. */
const listOfType = { location: 'locations', flavor: 'flavors' } as const;

export const policyRules: KindRules = {
  kind: policy,
  async beforeCreate(_context, { spec }) {
    requireMatchingType(spec);
  },
  async beforeReplace(_context, { spec }) {
    requireMatchingType(spec);
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

function requireMatchingType(spec: JsonObject): void {
  const type = textOf(spec.type);
  if (type === 'maxToken') throw kindErrors.token_policy();
  for (const [wanted, field] of Object.entries(listOfType)) {
    if (objectsOf(spec[field]).length > 0 && type !== wanted)
      throw kindErrors.policy_type({ field: `spec.${field}`, wanted });
  }
}
