import { defineErrors } from '@berth/contract';

export const budgetErrors = defineErrors({
  too_many_budgets: {
    status: 403,
    message: 'The account has {limit} budgets, which is the most. Delete one first, or change an existing one.',
  },
  budget_of_fixed: {
    status: 400,
    message:
      'The budget {name} is of {of}, which cannot be changed. Send "of": "{of}", or use another name, or delete the budget first.',
  },
});
