import { z } from 'zod';

/** Optional as a whole: without a URL everything but logs, usage and counts of requests works. */
export const clickhouseSection = z
  .object({
    // May hold a password; BERTH_CLICKHOUSE_URL_FILE keeps it out of the environment.
    url: z
      .string()
      .regex(/^https?:\/\//, 'Expected an address such as http://user:password@host:8123/berth')
      .optional()
      .describe(
        'Address of ClickHouse, which stores usage, the log lines of workloads and counts of their requests; may hold a password. Without it none of these is stored.',
      ),
    logRetentionDays: z
      .int()
      .min(1)
      .max(3650)
      .default(30)
      .describe('Days after which log lines and counts of requests are dropped.'),
  })
  .prefault({});
