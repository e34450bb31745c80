import { defineErrors } from '@berth/contract';

export const budgetErrors = defineErrors({
  too_many_budgets: {
    status: 403,
    message: 'The account has {limit} budgets, which is the most. Delete one first, or change an existing one.',
  },
});
