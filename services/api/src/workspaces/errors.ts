import { defineErrors } from '@berth/contract';

export const workspaceErrors = defineErrors({
  name_forbidden: { status: 400, message: '{reason}' },
  account_required: {
    status: 400,
    message: 'You administer several accounts. Say with accountId which one owns the workspace: {accounts}.',
  },
});
