// All served operations: the uniform operations of the kinds, then the special ones. A file here exports operations
// only, so that a declared operation cannot be forgotten.
import { operationsOf } from '../kinds/kind-operations.ts';
import { kinds } from '../kinds/registry.ts';
import type { Operation } from '../operation.ts';
import * as accounts from './accounts.ts';
import * as applications from './applications.ts';
import * as audit from './audit.ts';
import * as budgets from './budgets.ts';
import * as catalogue from './catalogue.ts';
import * as customDomains from './custom-domains.ts';
import * as deliveries from './deliveries.ts';
import * as drives from './drives.ts';
import * as egress from './egress.ts';
import * as images from './images.ts';
import * as integrations from './integrations.ts';
import * as invocations from './invocations.ts';
import * as jobExecutions from './job-executions.ts';
import * as metrics from './metrics.ts';
import * as observability from './observability.ts';
import * as platform from './platform.ts';
import * as policies from './policies.ts';
import * as previews from './previews.ts';
import * as profileKeys from './profile-keys.ts';
import * as sandboxes from './sandboxes.ts';
import * as serviceAccounts from './service-accounts.ts';
import * as statements from './statements.ts';
import * as users from './users.ts';
import * as volumeTemplates from './volume-templates.ts';
import * as workspaces from './workspaces.ts';

export const kindOperations = kinds.flatMap(operationsOf);

const features: readonly Readonly<Record<string, Operation>>[] = [
  accounts,
  applications,
  audit,
  budgets,
  catalogue,
  customDomains,
  deliveries,
  drives,
  egress,
  images,
  integrations,
  invocations,
  jobExecutions,
  metrics,
  observability,
  platform,
  policies,
  previews,
  profileKeys,
  sandboxes,
  serviceAccounts,
  statements,
  users,
  volumeTemplates,
  workspaces,
];

export const specialOperations: readonly Operation[] = features.flatMap((feature) => Object.values(feature));

export const operations: readonly Operation[] = [
  ...kindOperations.map(({ operation }) => operation),
  ...specialOperations,
];
