// Usage and cost of the current month. Our own addition to the interface.
import { z } from 'zod';
import { Timestamp } from './text.ts';

const cost = z.number().describe('USD');

export const CurrentUsage = z
  .object({
    month: z.string().describe('The current month in UTC, as 2026-11'),
    startTime: Timestamp,
    endTime: Timestamp.describe('End of the month'),
    until: Timestamp.describe('End of the time that cost and usage are about'),
    cost,
    forecast: z
      .number()
      .describe(
        'Expected cost of the whole month in USD: the cost so far, and the rate of the last 7 days for the rest',
      ),
    dimensions: z
      .array(
        z.object({ billingDimension: z.string(), cost, usage: z.number().describe('In the unit of the dimension') }),
      )
      .describe('Highest cost first; dimensions without usage are left out'),
  })
  .meta({ id: 'CurrentUsage' });
