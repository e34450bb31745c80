import type { Database } from '@berth/database';
import { notifyDeliveries, replayDelivery } from '@berth/triggers';
import { z } from 'zod';
import { postgresSection } from '../sections/postgres.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand } from './command.ts';
import { readFlags } from './read-flags.ts';

const Flags = z.object({ id: z.guid('a delivery id, as the log of the orchestrator names it') });

export const replayCallbackCommand = defineCommand({
  name: 'replay-callback',
  summary: 'delivers a callback again that was delivered or given up: --id ID, as the log of the orchestrator names it',
  sections: { postgres: postgresSection },
  async run({ postgres }, { arguments: argv, print }) {
    const { id } = readFlags(argv, Flags);
    await withDatabase(postgres.url, (database) => replay(database, id));
    print(
      `${id} is delivered again under the same id, at once and with all its tries. The log of the orchestrator tells the result.`,
    );
  },
});

async function replay(database: Database, id: string): Promise<void> {
  const result = await replayDelivery(database, { id });
  if (result === 'missing') throw new Error(`There is no callback ${id}. It is removed 30 days after its end.`);
  if (result === 'open') throw new Error(`The callback ${id} is still being tried. Wait until it has ended.`);
  await notifyDeliveries(database);
}
