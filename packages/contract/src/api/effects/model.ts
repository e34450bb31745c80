import { enforced, type FieldEffect } from './effect.ts';

const requests = 'services/gateway/test/models.test.ts';
const writes = 'services/api/test/models.test.ts';

export const modelEffects: readonly FieldEffect[] = [
  enforced(
    `${requests}: a disabled model, one whose connection has no key or no address, and one without a connection say what to correct`,
    'enabled',
  ),
  enforced(`${requests}: a changed connection is used once its model is read again`, 'integrationConnections'),
  enforced(
    'services/gateway/src/limits/limit-refusals.test.ts: a policy is used up when any of its numbers is reached, by all gateways together',
    'policies',
  ),
  enforced(
    `${requests}: another model than the one it is set up for is refused; a model without a name of its own takes any`,
    'runtime.model',
  ),
  enforced(`${writes}: a model with connections has a type whose provider is served`, 'runtime.type'),
  enforced(
    'packages/contract/src/api/providers/registry.test.ts: an organization has a header at the providers that bill organizations',
    'runtime.organization',
  ),
  enforced(`${requests}: credentials for tests and live ones are never exchanged`, 'sandbox'),
  {
    effect: 'warned',
    paths: ['runtime.endpointName'],
    reason:
      'an endpoint is found by its address. Set spec.config.BASE_URL of the connection, and spec.runtime.type to hf_private_endpoint.',
  },
  {
    effect: 'warned',
    paths: ['flavors', 'runtime.generation'],
    harmless: ['mk3'],
    reason: 'a model runs on the machines of its provider, and nothing here chooses them.',
  },
];
