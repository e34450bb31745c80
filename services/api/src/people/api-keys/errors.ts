import { defineErrors } from '@berth/contract';

export const apiKeyErrors = defineErrors({
  scopes_required: {
    status: 403,
    message:
      'The calling key is limited to its scopes, so a key made with it must be too. Send scopes with some of: {held}.',
  },
});
