// Usage that a runner has metered. Sent beside reports and log lines, and kept by the runner until it is acknowledged.
import { z } from 'zod';

/**
 * Time in which an instance is billed for a fixed amount of memory. `fromMs` never changes and `toMs` only grows, so an
 * interval may be sent any number of times: the longest counts. Times are milliseconds since 1970 by the clock of the
 * deployment (`nowMs` of the welcome message).
 */
export const UsageInterval = z
  .object({
    instance: z.uuid(),
    /** Counts the intervals of the instance. */
    number: z.int().min(0).max(2_147_483_647),
    fromMs: z.int().nonnegative(),
    toMs: z.int().nonnegative(),
    memoryMb: z.int().positive(),
  })
  .refine(({ fromMs, toMs }) => fromMs <= toMs, 'an interval does not end before it begins');
export type UsageInterval = z.infer<typeof UsageInterval>;

export const maxUsageIntervals = 1_000;

export const UsageBatch = z.object({
  intervals: z.array(UsageInterval).max(maxUsageIntervals),
  /** Instances of which no further interval comes. */
  ended: z.array(z.uuid()).max(maxUsageIntervals),
});
export type UsageBatch = z.infer<typeof UsageBatch>;
