// Control-plane sheet 1.14.
import { admin } from '../access.ts';
import { customDomain } from '../kinds/custom-domain.ts';
import { resourceSchema } from '../kinds/kind-operations.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { WorkspaceQuery } from '../schema/query.ts';

export const verifyCustomDomain = defineOperation({
  ...at('/customdomains/{domainName}/verify'),
  id: 'verifyCustomDomain',
  method: 'POST',
  tag: 'Custom domains',
  summary: 'Look up the DNS records of a domain now',
  access: admin('customdomains:update'),
  query: WorkspaceQuery,
  answer: resourceSchema(customDomain),
  audit: 'customdomain.verify',
});
