// Model. Control-plane sheet 2.6.
import type { KindRules } from '../resources/rules.ts';
import { claimHostLabel, workloadUrl } from '../rules/host-labels.ts';
import { requireConnections, requirePolicies } from '../rules/references.ts';

export const modelRules: KindRules = {
  async create(context, { spec }) {
    await requirePolicies(context, spec);
    await requireConnections(context, spec);
  },
  created: (context, row) => claimHostLabel(context, 'mdl', row),
  async replace(context, { spec }, previous) {
    await requirePolicies(context, spec, previous.spec);
    await requireConnections(context, spec);
  },
  finish: workloadUrl,
};
