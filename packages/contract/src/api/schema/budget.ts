// Budgets of an account: thresholds of a monthly cost, and limits of what models cost. Our own addition to the interface.
import { z } from 'zod';
import { HttpUrl, Timestamp } from './text.ts';
import { WorkspaceName } from './workspace.ts';

const maxAmountUsd = 1_000_000_000_000;
/** A JSON number with more digits changes on its way through most clients and servers. */
const maxDigits = 15;

const hasKeptDigits = (amount: number): boolean => {
  const text = String(amount);
  return /^\d+(\.\d{1,6})?$/.test(text) && text.replace('.', '').replace(/^0+/, '').length <= maxDigits;
};

const Amount = z
  .number()
  .positive()
  .max(maxAmountUsd)
  .refine(hasKeptDigits, `at most 6 decimals and ${maxDigits} digits in all`)
  .describe('USD for each calendar month in UTC');

const Thresholds = z
  .array(z.int().min(1).max(1000))
  .min(1)
  .max(10)
  .refine((percents) => new Set(percents).size === percents.length, 'each threshold once')
  .transform((percents) => percents.toSorted((left, right) => left - right));

export const BudgetOf = z
  .enum(['usage', 'models'])
  .describe(
    'What it counts: the usage of the account, or what its models cost at their providers. A budget of models also refuses requests to models once it is used up',
  );
export type BudgetOf = z.infer<typeof BudgetOf>;

export const BudgetInput = z
  .object({
    amount: Amount,
    of: BudgetOf.default('usage'),
    thresholds: Thresholds.default([50, 80, 100]).describe('Percent of the amount; 50, 80 and 100 when left out'),
    workspace: WorkspaceName.optional().describe('Only this workspace; all workspaces when left out'),
    callbackUrl: HttpUrl.optional().describe('Receives a signed POST when a threshold is reached'),
  })
  .meta({ id: 'BudgetInput' });

const settings = {
  name: z.string(),
  amount: z.number().describe('USD for each calendar month in UTC'),
  of: BudgetOf,
  thresholds: z.array(z.int()).describe('Percent of the amount, ascending'),
  workspace: z.string().optional(),
  callbackUrl: z.string().optional(),
};

const stamps = { createdAt: Timestamp, createdBy: z.string(), updatedAt: Timestamp, updatedBy: z.string() };

export const BudgetSettings = z.object({ ...settings, ...stamps }).meta({ id: 'BudgetSettings' });

/** Only the write that set the callback URL shows the secret. */
export const BudgetWritten = BudgetSettings.extend({
  callbackSecret: z.string().optional().describe('Key of the signatures; shown only by the write that made it'),
}).meta({ id: 'BudgetWritten' });

export const BudgetCallback = z
  .enum(['none', 'waiting', 'delivered', 'given_up', 'expired'])
  .describe('State of the callback; expired when its record was removed, 30 days after its end');
export type BudgetCallback = z.infer<typeof BudgetCallback>;

const BudgetAlert = z
  .object({
    threshold: z.int().describe('Percent'),
    reachedAt: Timestamp,
    cost: z.number().describe('Cost of the month then, in USD'),
    amount: z.number().describe('Amount of the budget then, in USD'),
    callback: BudgetCallback,
  })
  .meta({ id: 'BudgetAlert' });

export const Budget = z
  .object({
    ...settings,
    month: z.string().describe('The current month in UTC, as 2026-11'),
    cost: z.number().describe('Cost of the month so far, in USD'),
    percent: z.number().describe('Cost as percent of the amount, with two decimals, rounded down'),
    alerts: z.array(BudgetAlert).describe('Thresholds that the month has reached, ascending'),
    ...stamps,
  })
  .meta({ id: 'Budget' });
