import { type Database, timeOfUuidv7 } from '@berth/database';
import { sql } from 'kysely';
import { z } from 'zod';
import { postgresSection } from '../sections/postgres.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand } from './command.ts';
import { printTable } from './print-table.ts';
import { readFlags } from './read-flags.ts';

const Flags = z.object({ remove: z.boolean().default(false), runner: z.string().optional() });

const columns = ['RUNNER', 'INSTANCE', 'KIND', 'WORKSPACE', 'MADE', 'REMOVAL'];

interface OrphanRow {
  readonly runner: string;
  readonly instance: string;
  readonly isSandbox: boolean;
  readonly workspace: string | null;
  readonly isRemoved: boolean;
}

export const orphansCommand = defineCommand({
  name: 'orphans',
  summary: 'instances that runners keep and a restored database does not know; --remove [--runner NAME] removes them',
  sections: { postgres: postgresSection },
  async run({ postgres }, { arguments: argv, print }) {
    const { remove, runner } = readFlags(argv, Flags, ['remove']);
    await withDatabase(postgres.url, async (database) => {
      if (runner !== undefined) await requireRunner(database, runner);
      if (remove)
        print(
          `The removal of ${await orderRemoval(database, runner)} orphans is ordered; they are gone once they are not listed any more.`,
        );
      const rows = await loadOrphans(database, runner);
      if (rows.length === 0) return print('There are none.');
      printTable([columns, ...rows.map(toColumns)], print);
    });
  },
});

async function requireRunner(database: Database, name: string): Promise<void> {
  const found = await database.selectFrom('runners').select('id').where('name', '=', name).executeTakeFirst();
  if (found === undefined) throw new Error(`There is no runner ${name}. berth-server list-runners names them all.`);
}

/** Runners of this name, or all. */
const ofRunner = (name: string | undefined) => (name === undefined ? sql`true` : sql`runners.name = ${name}`);

async function orderRemoval(database: Database, runner: string | undefined): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update orphans set removal_ordered_at = clock_timestamp() from runners
    where runners.id = runner_id and removal_ordered_at is null and ${ofRunner(runner)}`.execute(database);
  return Number(numAffectedRows);
}

async function loadOrphans(database: Database, runner: string | undefined): Promise<OrphanRow[]> {
  const { rows } = await sql<OrphanRow>`
    select runners.name as runner, instance_id as instance, is_sandbox as "isSandbox",
      coalesce(workspaces.name, workspace_id::text) as workspace, removal_ordered_at is not null as "isRemoved"
    from orphans join runners on runners.id = runner_id left join workspaces on workspaces.id = workspace_id
    where ${ofRunner(runner)} order by 1, 2`.execute(database);
  return rows;
}

const toColumns = ({ runner, instance, isSandbox, workspace, isRemoved }: OrphanRow): string[] => [
  runner,
  instance,
  isSandbox ? 'sandbox' : 'other',
  workspace ?? '-',
  timeOfUuidv7(instance)?.toISOString() ?? '-',
  isRemoved ? 'ordered' : '-',
];
