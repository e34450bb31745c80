import { randomBytes } from 'node:crypto';
import { connect, readMigrations, schemaState } from '@berth/database';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runServerCommand } from '../../../../engines/server-process.ts';
import { createTestDatabase, type TestDatabase } from '../../../../engines/test-database.ts';
import { runCommand } from '../../test/run-command.ts';
import { requireSchema } from './require-schema.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

async function ask(statement: ReturnType<typeof sql>): Promise<void> {
  const connection = connect({ url: database.url, maxConnections: 1 });
  await statement.execute(connection).finally(() => connection.destroy());
}

const applyNewer = () =>
  ask(sql`insert into schema_migrations (name, checksum) values ('9999-of-the-next-release.sql', 'x')`);
const forgetLast = async (): Promise<string> => {
  const last = (await readMigrations()).at(-1)?.name ?? '';
  await ask(sql`delete from schema_migrations where name = ${last}`);
  return last;
};

test('a role starts on its own schema and on that of the next release', async () => {
  await requireSchema(database.url);
  await applyNewer();
  await requireSchema(database.url);
});

test.each(['api', 'orchestrator', 'gateway'])(
  'the role %s refuses an older schema, and names what is missing and the command',
  async (role) => {
    const missing = await forgetLast();
    const { code, output, errors } = await runServerCommand(['--role', role], {
      BERTH_POSTGRES_URL: database.url,
      BERTH_MASTER_KEYS: JSON.stringify([{ id: 'test', key: randomBytes(32).toString('base64') }]),
      BERTH_API_PORT: '0',
      BERTH_API_NODE_PORT: '0',
      BERTH_ORCHESTRATOR_PORT: '0',
      BERTH_GATEWAY_PORT: '0',
      BERTH_HEALTH_PORTS_API: '0',
      BERTH_HEALTH_PORTS_ORCHESTRATOR: '0',
      BERTH_HEALTH_PORTS_GATEWAY: '0',
    });
    expect(code).toBe(1);
    expect(`${output}${errors}`).toContain(`it lacks ${missing}. Run: berth-server migrate`);
  },
);

test('migrate on the schema of the next release changes nothing and says so', async () => {
  await applyNewer();
  const before = await schemaState(database.url);
  const said = await runCommand('migrate', { postgres: { url: database.url } });
  expect(said.join('\n')).toContain(
    'newer version, which applied 9999-of-the-next-release.sql. This version runs on it',
  );
  expect(await schemaState(database.url)).toEqual(before);
  expect(before).toEqual({ pending: [], newer: ['9999-of-the-next-release.sql'] });
});
