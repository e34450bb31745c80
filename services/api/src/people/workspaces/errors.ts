import { defineErrors } from '@berth/contract';

export const workspaceErrors = defineErrors({
  name_forbidden: { status: 400, message: '{reason}' },
  account_required: {
    status: 400,
    message: 'You administer several accounts. Say with accountId which one owns the workspace: {accounts}.',
  },
  workspace_not_ready: {
    status: 409,
    message: 'The workspace {name} is not set up yet. Finish its creation with PUT /workspaces/{name} first.',
  },
});
