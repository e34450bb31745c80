// Kinds that describe, address or configure.
import { enforced, type FieldEffect } from './effect.ts';

const domains = 'services/api/test/custom-domains.test.ts';
const previews = 'services/api/test/previews.test.ts';

export const customDomainEffects: readonly FieldEffect[] = [
  enforced(`${domains}: an application’s domain is for applications and is bound to it`, 'domainType'),
  enforced('services/api/test/regions-and-addresses.test.ts: custom domains refuse an unknown region too', 'region'),
  {
    effect: 'refused',
    paths: ['fallbackPreviewId'],
    reason:
      'names without a preview of their own are answered with 404, not by a fallback. Leave it out, and give each preview its prefixUrl.',
  },
  {
    effect: 'refused',
    paths: ['subjectAlternativeNames'],
    reason:
      'no certificates are made for custom domains here. Leave it out, and name them in the certificate of the edge in front.',
  },
];

export const integrationConnectionEffects: readonly FieldEffect[] = [
  enforced(
    "services/orchestrator/test/references.test.ts: a function gets its connections' values, and secrets stay sealed for whom they were written to",
    'config',
    'secret',
  ),
  enforced(
    'services/api/test/workload-rules.test.ts: a connection names an integration that the catalogue knows',
    'integration',
  ),
  enforced(
    'services/api/test/workload-rules.test.ts: a function takes no connection with credentials for tests, and one that it names does not become such a connection',
    'sandbox',
  ),
];

const policyRules = 'services/api/test/policies.test.ts';
const limits = 'services/gateway/src/limits';

export const policyEffects: readonly FieldEffect[] = [
  enforced('packages/instances/src/place/allowed-regions.test.ts: another type has to agree', 'locations', 'flavors'),
  enforced(`${policyRules}: a policy whose fields do not match its type is refused, so that none is ignored`, 'type'),
  enforced(`${policyRules}: a policy is named only by the kinds in its resourceTypes`, 'resourceTypes'),
  enforced(
    `${limits}/limit-refusals.test.ts: a policy is used up when any of its numbers is reached, by all gateways together`,
    'maxTokens.input',
    'maxTokens.output',
    'maxTokens.total',
  ),
  enforced(
    `${limits}/window.test.ts: a window begins at full units of UTC, a whole number of windows after 1970`,
    'maxTokens.granularity',
    'maxTokens.step',
  ),
  {
    effect: 'refused',
    paths: ['maxTokens.ratioInputOverOutput'],
    harmless: [0],
    reason: 'input and output are limited by numbers of their own, and not by their ratio. Leave it out, or send 0.',
  },
  {
    effect: 'refused',
    paths: ['sandbox'],
    harmless: [false],
    reason: 'a policy holds for all workloads that name it; there is no test mode. Leave it out.',
  },
];

export const previewEffects: readonly FieldEffect[] = [
  enforced(
    'services/gateway/test/previews.test.ts: a public preview needs no credential, also on an undeclared port',
    'public',
  ),
  enforced(`${previews}: port 80 is refused, 443 is the sandbox API, and a port need not be declared`, 'port'),
  enforced(
    `${previews}: with a prefix the address is the prefix and the workspace, or a part of its id where the name is too long`,
    'prefixUrl',
  ),
  enforced(
    `${previews}: ttl and expires end a preview at that moment: 404, not listed, its name and host free; maintenance removes the row`,
    'ttl',
    'expires',
  ),
  enforced(`${domains}: a verified domain covers its subdomains; an unverified domain covers nothing`, 'customDomain'),
  enforced(
    'services/gateway/test/previews.test.ts: requestHeaders are on every request in place of the client’s, responseHeaders on every answer in place of the app’s',
    'requestHeaders',
    'responseHeaders',
  ),
];

export const egressGatewayEffects: readonly FieldEffect[] = [
  enforced(
    'services/api/test/egress.test.ts: a region without a range of the family refuses with the next step',
    'region',
  ),
];

export const volumeTemplateEffects: readonly FieldEffect[] = [
  enforced(
    'services/api/test/volumes.test.ts: a template reference must name a version that exists, and gives the size when none is asked for',
    'defaultSize',
  ),
  enforced(
    'services/api/test/field-effects.test.ts: notes are kept as they came and promise nothing else',
    'description',
  ),
];
