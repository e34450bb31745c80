import { defineErrors } from '@berth/contract';

export const peopleErrors = defineErrors({
  already_member: {
    status: 409,
    message: '{email} is a member of this workspace already. Change their role with PUT /users/{email} instead.',
  },
  last_admin: {
    status: 409,
    message:
      'This is the last admin of the workspace. Make someone else an admin first, or delete the workspace instead.',
  },
  user_required: {
    status: 403,
    message: 'Only users can {what}; this key belongs to a service account. Use a personal API key.',
  },
});
