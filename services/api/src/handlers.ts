// Every operation that is served, each with what answers it.
import { accountHandlers } from './accounts/handlers.ts';
import { profileKeyHandlers } from './api-keys/profile-keys.ts';
import { serviceAccountKeyHandlers } from './api-keys/service-account-keys.ts';
import { executionHandlers } from './executions/handlers.ts';
import type { Registration } from './http/call.ts';
import { imageHandlers } from './images/handlers.ts';
import { invitationHandlers } from './invitations/handlers.ts';
import { resourceHandlers } from './resources/handlers.ts';
import { serviceAccountHandlers } from './service-accounts/handlers.ts';
import { userHandlers } from './users/handlers.ts';
import { workspaceHandlers } from './workspaces/handlers.ts';

export const handlers: readonly Registration[] = [
  ...resourceHandlers,
  ...executionHandlers,
  ...imageHandlers,
  ...accountHandlers,
  ...workspaceHandlers,
  ...userHandlers,
  ...invitationHandlers,
  ...serviceAccountHandlers,
  ...serviceAccountKeyHandlers,
  ...profileKeyHandlers,
];
