// All errors that the management API returns to clients; docs/errors.md is generated from this list.
import { type ErrorDefinition, requestErrors, resourceErrors } from '@berth/contract';
import { budgetErrors } from './budgets/errors.ts';
import { deliveryErrors } from './calls/errors.ts';
import { imageErrors } from './images/errors.ts';
import { installErrors } from './install/errors.ts';
import { providerErrors } from './integrations/errors.ts';
import { jobErrors } from './jobs/errors.ts';
import { executionErrors } from './jobs/executions/errors.ts';
import { logErrors } from './logs/errors.ts';
import { metricErrors } from './metrics/errors.ts';
import { nodeErrors } from './nodes/errors.ts';
import { apiKeyErrors } from './people/api-keys/errors.ts';
import { peopleErrors } from './people/errors.ts';
import { workspaceErrors } from './people/workspaces/errors.ts';
import { previewErrors } from './previews/errors.ts';
import { requestMetricErrors } from './request-metrics/errors.ts';
import { kindErrors } from './rules/errors.ts';
import { sandboxErrors } from './sandboxes/errors.ts';
import { statementErrors } from './statements/errors.ts';

interface ErrorTable {
  readonly about: string;
  readonly table: Readonly<Record<string, ErrorDefinition>>;
}

export const errorTables: readonly ErrorTable[] = [
  { about: 'Every request', table: requestErrors.table },
  { about: 'Every resource', table: resourceErrors.table },
  { about: 'Rules of single kinds', table: kindErrors.table },
  { about: 'Starting and stopping sandboxes', table: sandboxErrors.table },
  { about: 'Previews', table: previewErrors.table },
  { about: 'Jobs', table: jobErrors.table },
  { about: 'Job executions', table: executionErrors.table },
  { about: 'Callbacks', table: deliveryErrors.table },
  { about: 'Images', table: imageErrors.table },
  { about: 'Models of providers', table: providerErrors.table },
  { about: 'Workspaces', table: workspaceErrors.table },
  { about: 'People and invitations', table: peopleErrors.table },
  { about: 'API keys', table: apiKeyErrors.table },
  { about: 'Logs', table: logErrors.table },
  { about: 'Request metrics', table: requestMetricErrors.table },
  { about: 'Billing metrics', table: metricErrors.table },
  { about: 'Budgets', table: budgetErrors.table },
  { about: 'Statements', table: statementErrors.table },
  { about: 'Installing further machines', table: installErrors.table },
  { about: 'Runners, over the node protocol', table: nodeErrors.table },
];
