// Integration connection: names a known third party. Control-plane sheet 7 (31): a connection in use cannot be deleted.
import { findProvider, integrationConnection, providerAddress, resourceErrors } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import { isObject } from '../json.ts';
import type { KindRules, RuleContext } from '../resources/rules.ts';
import { kindErrors } from '../rules/errors.ts';
import { findUser } from '../rules/references.ts';
import { section, textOf } from '../rules/spec-fields.ts';
import { isKnownIntegration } from './catalogue.ts';

export const integrationConnectionRules: KindRules = {
  kind: integrationConnection,
  async beforeCreate(_context, { spec }) {
    requireIntegration(spec.integration);
  },
  async beforeReplace(context, { spec }, previous) {
    if (spec.integration !== previous.spec.integration) requireIntegration(spec.integration);
    requireSecretForAddress(spec, previous.spec);
    // Functions use real credentials only.
    if (spec.sandbox === true && previous.spec.sandbox !== true)
      await requireUnused(context, ['function'], previous.name);
  },
  beforeDelete: (context, { name }) => requireUnused(context, ['function', 'model'], name),
};

function requireIntegration(integration: unknown): void {
  const name = textOf(integration);
  if (name === undefined || isKnownIntegration(name)) return;
  throw resourceErrors.unknown_reference({ field: 'spec.integration', kind: 'integration', name });
}

/** Without this, someone who may change a connection but not read it could have its key sent to an address of their own. */
function requireSecretForAddress(spec: JsonObject, previous: JsonObject): void {
  const before = addressesOf(previous);
  const isSame = addressesOf(spec).every((address, at) => address === undefined || address === before[at]);
  // A value that was kept, or came back masked, is sealed.
  if (isSame || !Object.values(section(spec, 'secret')).some(isObject)) return;
  throw kindErrors.secret_for_other_address({ fields: 'spec.integration and spec.config.BASE_URL' });
}

/** That of its provider, and its own: a model may name the connection for another provider. */
function addressesOf(spec: JsonObject): (string | undefined)[] {
  const baseUrl = textOf(section(spec, 'config').BASE_URL);
  const config = baseUrl === undefined ? {} : { BASE_URL: baseUrl };
  const provider = findProvider(textOf(spec.integration) ?? '');
  return [provider && providerAddress(provider, config), providerAddress({}, config)];
}

async function requireUnused(context: RuleContext, kinds: readonly string[], name: string): Promise<void> {
  const user = await findUser(context, kinds, 'integrationConnections', name);
  if (user === undefined) return;
  throw resourceErrors.in_use({ kind: 'integration connection', name, users: `the ${user.kind} ${user.name}` });
}
