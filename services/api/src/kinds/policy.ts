// Policy. Listings say how many resources name each one; control-plane sheet 2.11.
import { countUsages } from '../policies/usages.ts';
import type { KindRules } from '../resources/rules.ts';

export const policyRules: KindRules = {
  async finishItems({ database, workspace }, items, rows) {
    const usages = await countUsages(
      database,
      workspace.id,
      rows.map(({ name }) => name),
    );
    return items.map((item, index) => ({ ...item, usage: usages.get(rows[index]?.name ?? '') }));
  },
};
