// Model. Control-plane sheet 2.6.
import { model } from '@berth/contract';
import type { KindRules } from '../resources/rules.ts';
import { claimHostLabel, workloadUrl } from '../rules/host-labels.ts';
import { requireConnections, requirePolicies } from '../rules/references.ts';

export const modelRules: KindRules = {
  kind: model,
  async beforeCreate(context, { spec }) {
    await requirePolicies(context, spec);
    await requireConnections(context, spec);
  },
  afterCreate: (context, row) => claimHostLabel(context, 'mdl', row),
  async beforeReplace(context, { spec }, previous) {
    await requirePolicies(context, spec, previous.spec);
    await requireConnections(context, spec);
  },
  render: { one: workloadUrl },
};
