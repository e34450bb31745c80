import * as contract from '@berth/contract';
import { type Registration, read, write, writeAfter } from '../http/call.ts';
import { deleteBudget } from './delete-budget.ts';
import { openBudgetKey, putBudget } from './put-budget.ts';
import { readBudget, readBudgets } from './read-budgets.ts';

export const budgetHandlers: readonly Registration[] = [
  read(contract.listBudgets, readBudgets),
  read(contract.getBudget, readBudget),
  writeAfter(contract.putBudget, openBudgetKey, putBudget),
  write(contract.deleteBudget, deleteBudget),
];
