import { unendedInstance } from '@berth/database';
import { sql } from 'kysely';
import { postgresSection } from '../sections/postgres.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand } from './command.ts';
import { printTable } from './print-table.ts';

const columns = ['NAME', 'REGION', 'STATUS', 'INSTANCES', 'MEMORY', 'ISOLATION', 'SILENT FOR'];

export const listRunnersCommand = defineCommand({
  name: 'list-runners',
  summary: 'the machines that have joined, what they run and how long they have been silent',
  sections: { postgres: postgresSection },
  async run({ postgres }, { print }) {
    const runners = await withDatabase(postgres.url, (database) =>
      database
        .selectFrom('runners')
        .select(['name', 'region', 'status', 'reserved_mb', 'memory_mb', 'isolation'])
        .select([
          sql<number | null>`extract(epoch from clock_timestamp() - last_seen_at)::int`.as('silentSeconds'),
          sql<number>`(select count(*)::int from instances where runner_id = runners.id and ${unendedInstance()})`.as(
            'instances',
          ),
        ])
        .orderBy('name')
        .execute(),
    );
    const rows = runners.map(
      ({ name, region, status, instances, reserved_mb, memory_mb, isolation, silentSeconds }) => [
        name,
        region,
        status,
        String(instances),
        `${reserved_mb} of ${memory_mb} MB`,
        isolation.join(', ') || '-',
        silentSeconds === null ? 'always' : `${silentSeconds} s`,
      ],
    );
    printTable([columns, ...rows], print);
    if (rows.length === 0) print('None yet. berth-server create-join-token lets a machine join.');
  },
});
