import { z } from 'zod';
import { clickhouseSection } from '../sections/clickhouse.ts';
import { postgresSection } from '../sections/postgres.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand } from './command.ts';
import { readFlags } from './read-flags.ts';

const defaultDays = 35;
const Flags = z.object({ days: z.coerce.number().int().min(1).max(390).default(defaultDays) });

export const checkUsageCommand = defineCommand({
  name: 'check-usage',
  summary: `verifies stored usage and its closed hours: --days N back from now (${defaultDays}); fails where something does not hold`,
  sections: { postgres: postgresSection, clickhouse: clickhouseSection },
  async run({ postgres, clickhouse: { url } }, { arguments: argv, logger, print }) {
    const { days } = readFlags(argv, Flags);
    if (url === undefined)
      throw new Error('This deployment keeps no usage. Set clickhouse.url (BERTH_CLICKHOUSE_URL).');
    const { checkUsage, openUsage } = await import('@berth/usage');
    const usage = openUsage({ url, logger });
    try {
      const findings = await withDatabase(postgres.url, (database) => checkUsage(database, usage.check, days));
      for (const { check, accountId, hourMs, detail } of findings)
        print(`${new Date(hourMs).toISOString()} account ${accountId}: ${check}: ${detail}`);
      if (findings.length > 0)
        throw new Error(
          `${findings.length} faults in the usage of ${days} days. docs/operations/usage.md says what each means and what to do.`,
        );
      print(`The usage of ${days} days is consistent.`);
    } finally {
      await usage.close();
    }
  },
});
