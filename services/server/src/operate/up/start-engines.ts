import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { withDatabase } from '../../with-database.ts';
import { readSettings } from '../install/read-settings.ts';
import { answers } from '../machine/answers.ts';
import { Fault } from '../machine/fault.ts';
import { ports } from '../machine/ports.ts';
import { engineServices } from '../machine/services.ts';
import { waitUntil } from '../machine/wait-until.ts';
import type { Step } from '../steps/run-steps.ts';
import { runsAsWanted, startServices } from './compose.ts';
import type { UpContext } from './up-context.ts';

const startSeconds = 90;
const local = '127.0.0.1';

export const startEngines: Step<UpContext> = {
  name: 'engines',
  isDone: async (context) =>
    (await runsAsWanted(context, engineServices(context.choices), 'BERTH_ENGINES_STATE')) &&
    (await allAnswer(context).then(
      () => true,
      () => false,
    )),
  async run(context) {
    const services = engineServices(context.choices);
    for (const name of services) await mkdir(join(context.places.data, name), { recursive: true });
    await startServices(context, services);
    await waitUntil(startSeconds, () => allAnswer(context));
    return services.join(', ');
  },
};

async function allAnswer(context: UpContext): Promise<void> {
  const { postgres, clickhouse } = await readSettings(context.places);
  await answering('postgres', () => withDatabase(postgres.url, (database) => sql`select 1`.execute(database)));
  await answering('restate', () => answers(`http://${local}:${ports.restateIngress}/restate/health`));
  await answering('restate', () => answers(`http://${local}:${ports.restateAdmin}/health`));
  // Made here: the image would make it through a port that is closed.
  if (clickhouse !== undefined) await answering('clickhouse', () => createDatabase(new URL(clickhouse.url)));
}

function createDatabase({ origin, username, password }: URL): Promise<string> {
  const statement = encodeURIComponent('create database if not exists berth');
  const headers = { 'x-clickhouse-user': username, 'x-clickhouse-key': decodeURIComponent(password) };
  return answers(`${origin}/?query=${statement}`, headers, 'POST');
}

async function answering(service: string, attempt: () => Promise<unknown>): Promise<void> {
  await attempt().catch((cause: unknown) => {
    throw new Fault(`${service} does not answer.`, `docker logs --tail 30 berth-${service}-1`, { cause });
  });
}
