import { sql } from 'kysely';
import { withDatabase } from '../../with-database.ts';
import { readSettings } from '../install/read-settings.ts';
import { answers } from '../machine/answers.ts';
import { ports } from '../machine/ports.ts';
import type { Check } from './check.ts';

const engine = (
  name: string,
  why: string,
  ask: (settings: Awaited<ReturnType<typeof readSettings>>) => Promise<unknown>,
): Check => ({
  name,
  why,
  when: 'running',
  needs: ['services'],
  async look({ places }) {
    const settings = await readSettings(places);
    try {
      await ask(settings);
      return undefined;
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      return { what: `${name} does not answer: ${said}`, fix: `docker restart berth-${name}-1` };
    }
  },
});

export const engines: readonly Check[] = [
  engine('postgres', 'it holds everything that the deployment knows', ({ postgres }) =>
    withDatabase(postgres.url, (database) => sql`select 1`.execute(database)),
  ),
  engine('restate', 'it starts and repeats all durable work', async () => {
    await answers(`http://127.0.0.1:${ports.restateIngress}/restate/health`);
    await answers(`http://127.0.0.1:${ports.restateAdmin}/health`);
  }),
  engine('clickhouse', 'it holds usage, log lines and counts of requests', async ({ clickhouse }) => {
    if (clickhouse !== undefined) await answers(`${new URL(clickhouse.url).origin}/ping`);
  }),
];
