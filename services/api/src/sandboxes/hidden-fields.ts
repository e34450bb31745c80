// Secrets of a sandbox that no response shows. A client that edits a fetched sandbox sends its sections back without
// them, so an absent secret is kept; other values, or an empty map, replace the stored ones.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@berth/database';
import { objectsOf, section } from '../rules/spec-fields.ts';

export function keepHidden(spec: JsonObject, previous: JsonObject): JsonObject {
  const { dockerConfig } = section(previous, 'runtime');
  const withLogin =
    dockerConfig === undefined || spec.runtime === undefined
      ? spec
      : { ...spec, runtime: { dockerConfig, ...section(spec, 'runtime') } };
  return keepRuleSecrets(withLogin, previous);
}

/** A proxy rule counts as the same while its destinations are unchanged. */
function keepRuleSecrets(spec: JsonObject, previous: JsonObject): JsonObject {
  const proxy = section(spec, 'network', 'proxy');
  const before = objectsOf(section(previous, 'network', 'proxy').routing);
  if (proxy.routing === undefined || before.length === 0) return spec;
  const routing = objectsOf(proxy.routing).map((rule) => {
    if (rule.secrets !== undefined) return rule;
    const secrets = before.find(({ destinations }) => isDeepStrictEqual(destinations, rule.destinations))?.secrets;
    return secrets === undefined ? rule : { ...rule, secrets };
  });
  return { ...spec, network: { ...section(spec, 'network'), proxy: { ...proxy, routing } } };
}
