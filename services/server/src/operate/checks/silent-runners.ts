import { sql } from 'kysely';
import { withDatabase } from '../../with-database.ts';
import { readSettings } from '../install/read-settings.ts';
import type { Check } from './check.ts';

const silentSeconds = 30;

export const silentRunners: Check = {
  name: 'silent-runners',
  why: 'sandboxes of a silent machine are out of reach',
  when: 'running',
  needs: ['postgres', 'runner'],
  async look({ places }) {
    const { postgres } = await readSettings(places);
    const { rows } = await withDatabase(postgres.url, (database) =>
      sql<{ name: string; seconds: number | null }>`select name,
          extract(epoch from clock_timestamp() - last_seen_at)::int as seconds from runners
        where last_seen_at is null or last_seen_at < clock_timestamp() - make_interval(secs => ${silentSeconds})
        order by name`.execute(database),
    );
    if (rows.length === 0) return undefined;
    const told = rows.map(({ name, seconds }) =>
      seconds === null ? `${name} (never seen)` : `${name} (${seconds} s)`,
    );
    return {
      what: `These machines are silent: ${told.join(', ')}.`,
      fix: 'on each of them: systemctl restart berth-runner; a machine that is gone for good: berth-server remove-runner --name NAME',
    };
  },
};
