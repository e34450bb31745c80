// Model. Control-plane sheet 2.6; docs/decisions/020-models.md.
import { findProvider, model, providers } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import type { KindRules, RuleContext } from '../resources/rules.ts';
import { kindErrors } from '../rules/errors.ts';
import { claimHostLabel, workloadUrl } from '../rules/host-labels.ts';
import { requireConnections, requirePolicies } from '../rules/references.ts';
import { section, textOf, textsOf } from '../rules/spec-fields.ts';

export const modelRules: KindRules = {
  kind: model,
  served: true,
  beforeCreate: (context, { spec }) => check(context, spec),
  afterCreate: (context, row) => claimHostLabel(context, 'mdl', row),
  beforeReplace: (context, { spec }, previous) => check(context, spec, previous.spec),
  render: { one: workloadUrl },
};

async function check(context: RuleContext, spec: JsonObject, previous?: JsonObject): Promise<void> {
  await requirePolicies(context, spec, previous);
  await requireConnections(context, spec);
  const type = typeInUse(spec);
  // What an earlier version stored does not block other changes.
  if (type !== undefined && (previous === undefined || type !== typeInUse(previous))) requireProvider(type);
}

/** Without a connection nothing is called. Without a type the integration of each connection decides. */
const typeInUse = (spec: JsonObject): string | undefined =>
  textsOf(spec.integrationConnections).length === 0 ? undefined : textOf(section(spec, 'runtime').type);

function requireProvider(type: string): void {
  const provider = findProvider(type);
  if (provider === undefined) throw kindErrors.no_provider({ type, types: servedTypes });
  if (provider.unserved !== undefined) throw kindErrors.provider_not_served({ type, reason: provider.unserved });
}

const servedTypes = providers
  .filter(({ unserved }) => unserved === undefined)
  .map(({ name }) => name)
  .join(', ');
