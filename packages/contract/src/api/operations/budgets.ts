// Budgets of an account. Our own addition: the interface has no such operation.
import { z } from 'zod';
import { accountAdmin } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { Budget, BudgetInput, BudgetSettings, BudgetWritten } from '../schema/budget.ts';

const tag = 'Billing';
const budgets = '/accounts/{accountId}/budgets';
const budget = `${budgets}/{budgetName}` as const;
const none = z.object({});

export const listBudgets = defineOperation({
  ...at(budgets),
  id: 'listBudgets',
  method: 'GET',
  tag,
  summary: 'List the budgets of the account by name, each with the cost of the current month',
  access: accountAdmin('billing:get'),
  query: none,
  answer: z.array(Budget),
  isAddition: true,
});

export const getBudget = defineOperation({
  ...at(budget),
  id: 'getBudget',
  method: 'GET',
  tag,
  summary: 'Read one budget with the cost of the current month and the thresholds that it has reached',
  access: accountAdmin('billing:get'),
  query: none,
  answer: Budget,
  isAddition: true,
});

export const putBudget = defineOperation({
  ...at(budget),
  id: 'putBudget',
  method: 'PUT',
  tag,
  summary:
    'Create or replace a budget; the secret of its callbacks is shown once, and the cost of the month is not. What it counts cannot be changed',
  access: accountAdmin('billing:update'),
  query: none,
  body: BudgetInput,
  answer: BudgetWritten,
  audit: 'budget.update',
  secretAnswer: true,
  isAddition: true,
});

export const deleteBudget = defineOperation({
  ...at(budget),
  id: 'deleteBudget',
  method: 'DELETE',
  tag,
  summary: 'Delete a budget with its alerts and with callbacks that wait',
  access: accountAdmin('billing:update'),
  query: none,
  answer: BudgetSettings,
  audit: 'budget.delete',
  isAddition: true,
});
