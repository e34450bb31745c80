// Every served operation with its handler.

import { applicationHandlers } from './applications/handlers.ts';
import { auditHandlers } from './audit/handlers.ts';
import { budgetHandlers } from './budgets/handlers.ts';
import { callHandlers } from './calls/handlers.ts';
import { customDomainHandlers } from './domains/handlers.ts';
import { driveHandlers } from './drives/tokens.ts';
import type { Registration } from './http/call.ts';
import { imageHandlers } from './images/handlers.ts';
import { integrationHandlers } from './integrations/handlers.ts';
import { executionHandlers } from './jobs/executions/handlers.ts';
import { kindRules } from './kind-rules.ts';
import { logHandlers } from './logs/handlers.ts';
import { metricHandlers } from './metrics/handlers.ts';
import { egressHandlers } from './network/handlers.ts';
import { accountHandlers } from './people/accounts/handlers.ts';
import { profileKeyHandlers } from './people/api-keys/profile-keys.ts';
import { serviceAccountKeyHandlers } from './people/api-keys/service-account-keys.ts';
import { invitationHandlers } from './people/invitations/handlers.ts';
import { serviceAccountHandlers } from './people/service-accounts/handlers.ts';
import { userHandlers } from './people/users/handlers.ts';
import { workspaceHandlers } from './people/workspaces/handlers.ts';
import { catalogueHandlers } from './platform/catalogue-handlers.ts';
import { platformHandlers } from './platform/handlers.ts';
import { policyHandlers } from './policies/usages.ts';
import { previewHandlers } from './previews/tokens.ts';
import { requestMetricHandlers } from './request-metrics/handlers.ts';
import { resourceHandlers } from './resources/handlers.ts';
import { sandboxHandlers } from './sandboxes/control.ts';
import { statementHandlers } from './statements/handlers.ts';
import { volumeTemplateHandlers } from './volumes/delete-template-version.ts';

export const handlers: readonly Registration[] = [
  ...resourceHandlers(kindRules),
  ...executionHandlers,
  ...callHandlers,
  ...imageHandlers,
  ...catalogueHandlers,
  ...integrationHandlers,
  ...logHandlers,
  ...requestMetricHandlers,
  ...metricHandlers,
  ...budgetHandlers,
  ...statementHandlers,
  ...platformHandlers,
  ...accountHandlers,
  ...workspaceHandlers,
  ...userHandlers,
  ...invitationHandlers,
  ...serviceAccountHandlers,
  ...serviceAccountKeyHandlers,
  ...profileKeyHandlers,
  ...egressHandlers,
  ...driveHandlers,
  ...policyHandlers,
  ...previewHandlers,
  ...customDomainHandlers,
  ...applicationHandlers,
  ...volumeTemplateHandlers,
  ...sandboxHandlers,
  ...auditHandlers,
];
