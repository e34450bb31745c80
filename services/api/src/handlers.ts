// Every served operation with its handler.
import { accountHandlers } from './accounts/handlers.ts';
import { profileKeyHandlers } from './api-keys/profile-keys.ts';
import { serviceAccountKeyHandlers } from './api-keys/service-account-keys.ts';
import { applicationHandlers } from './applications/handlers.ts';
import { auditHandlers } from './audit/handlers.ts';
import { catalogueHandlers } from './catalogue/handlers.ts';
import { customDomainHandlers } from './custom-domains/handlers.ts';
import { driveHandlers } from './drives/tokens.ts';
import { egressHandlers } from './egress/views.ts';
import { executionHandlers } from './executions/handlers.ts';
import type { Registration } from './http/call.ts';
import { imageHandlers } from './images/handlers.ts';
import { integrationHandlers } from './integrations/handlers.ts';
import { invitationHandlers } from './invitations/handlers.ts';
import { observabilityHandlers } from './observability/handlers.ts';
import { platformHandlers } from './platform/handlers.ts';
import { policyHandlers } from './policies/usages.ts';
import { previewHandlers } from './previews/tokens.ts';
import { resourceHandlers } from './resources/handlers.ts';
import { sandboxHandlers } from './sandboxes/control.ts';
import { serviceAccountHandlers } from './service-accounts/handlers.ts';
import { userHandlers } from './users/handlers.ts';
import { volumeTemplateHandlers } from './volume-templates/delete-version.ts';
import { workspaceHandlers } from './workspaces/handlers.ts';

export const handlers: readonly Registration[] = [
  ...resourceHandlers,
  ...executionHandlers,
  ...imageHandlers,
  ...catalogueHandlers,
  ...integrationHandlers,
  ...observabilityHandlers,
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
