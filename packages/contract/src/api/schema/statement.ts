// Monthly statements of an account. Our own addition to the interface.
import { z } from 'zod';
import { AnswerFormat } from './query.ts';
import { Timestamp } from './text.ts';

export const StatementQuery = z.object({ format: AnswerFormat.optional() });

const head = {
  month: z.string().describe('As 2026-11, in UTC'),
  frozenAt: Timestamp.describe('When the statement was made; it never changes'),
  totalCost: z.number().describe('Sum of its lines in USD'),
};

export const StatementSummary = z.object(head).meta({ id: 'StatementSummary' });

const StatementLine = z
  .object({
    usageMonth: z
      .string()
      .describe('Month of the usage. A line of an earlier month is the difference to all statements before'),
    workspace: z.string(),
    billingDimension: z.string(),
    usage: z.number().describe('In the unit of the dimension; differences may be negative'),
    cost: z.number().describe('USD; differences may be negative'),
  })
  .meta({ id: 'StatementLine' });

export const Statement = z
  .object({
    ...head,
    lines: z.array(StatementLine).describe('Newest month of usage first, then by workspace and dimension'),
  })
  .meta({ id: 'Statement' });
