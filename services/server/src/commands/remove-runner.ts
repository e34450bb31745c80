import { z } from 'zod';
import { defineCommand } from '../command.ts';
import { readFlags } from '../flags.ts';
import { postgresSection } from '../sections/postgres.ts';
import { withDatabase } from './with-database.ts';

const Flags = z.object({ name: z.string() });

export const removeRunnerCommand = defineCommand({
  name: 'remove-runner',
  summary: 'shuts a machine out for good: --name NAME; stop its runner first and wait until its work runs elsewhere',
  sections: { postgres: postgresSection },
  async run({ postgres }, { arguments: argv, print }) {
    const { name } = readFlags(argv, Flags);
    await withDatabase(postgres.url, (database) =>
      database.transaction().execute(async (tx) => {
        // Held until the end: nothing is placed on it meanwhile.
        const runner = await tx
          .selectFrom('runners')
          .select('id')
          .where('name', '=', name)
          .forUpdate()
          .executeTakeFirst();
        if (runner === undefined)
          throw new Error(`There is no runner ${name}. berth-server list-runners names them all.`);
        const live = await tx
          .selectFrom('instances')
          .select('id')
          .where('runner_id', '=', runner.id)
          .where('ended_at', 'is', null)
          .execute();
        if (live.length > 0)
          throw new Error(
            `${name} still holds ${live.length} instances. Stop its runner and wait until it is lost and they run elsewhere.`,
          );
        await tx.deleteFrom('instances').where('runner_id', '=', runner.id).execute();
        await tx.updateTable('runner_tokens').set({ runner_id: null }).where('runner_id', '=', runner.id).execute();
        await tx.deleteFrom('runners').where('id', '=', runner.id).execute();
      }),
    );
    print(`${name} is removed. What is left on the machine: docs/operations/runners.md.`);
  },
});
