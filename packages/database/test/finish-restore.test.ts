import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../engines/test-database.ts';
import { connect, type Database, finishRestore, loadDeploymentEpoch, tablesLeftOut, uuidv7 } from '../src/index.ts';

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect({ url: testDatabase.url, maxConnections: 2 });
});
afterAll(async () => {
  await database.destroy();
  await testDatabase.drop();
});

const finish = (isRehearsal = false) => database.transaction().execute((tx) => finishRestore(tx, isRehearsal));

async function addInstance(runnerId: string, more: object): Promise<string> {
  const id = uuidv7();
  const row = { id, revision: 'boot-1', runner_id: runnerId, spec: '{"sandbox": {}}', reserved_mb: 100 };
  await database
    .insertInto('instances')
    .values({ ...row, ...more })
    .execute();
  return id;
}

test('a database without an epoch is refused, and finishing its restore gives it another one', async () => {
  const { epoch: before } = await loadDeploymentEpoch(database);
  await database.deleteFrom('deployment_epoch').execute();
  await expect(loadDeploymentEpoch(database)).rejects.toThrow('berth-server restore again with --replace');
  const { epoch } = await finish(true);
  expect(epoch).not.toBe(before);
  expect(await loadDeploymentEpoch(database)).toEqual({ epoch, isRehearsal: true });
  await finish();
  expect(await loadDeploymentEpoch(database)).toMatchObject({ isRehearsal: false });
});

test('a warm sandbox ends and gives its memory back; an owned one gets a generation that its runner has not seen', async () => {
  const runnerId = uuidv7();
  await database
    .insertInto('runners')
    .values({ id: runnerId, name: 'one', region: 'local', status: 'up', memory_mb: 4_096, reserved_mb: 300 })
    .execute();
  const owner = { workspace_id: uuidv7(), resource_uid: uuidv7() };
  const warm = await addInstance(runnerId, { pool: 'a', state: 'ready' });
  const owned = await addInstance(runnerId, { ...owner, generation: 7 });
  const agent = await addInstance(runnerId, { ...owner, spec: '{}' });
  await finish();
  const rows = await database
    .selectFrom('instances')
    .select(['id', 'desired', 'state', 'generation'])
    .where('ended_at', 'is', null)
    .execute();
  const rowOf = (id: string) => rows.find((row) => row.id === id);
  expect(rowOf(warm)).toBeUndefined();
  expect(rowOf(agent)).toMatchObject({ desired: 'running', generation: 1 });
  const { generation = 0 } = rowOf(owned) ?? {};
  expect(generation).toBeGreaterThan(1_000_000);
  expect(await database.selectFrom('runners').select('reserved_mb').execute()).toEqual([{ reserved_mb: 200 }]);
  await finish();
  const again = await database
    .selectFrom('instances')
    .select('generation')
    .where('id', '=', owned)
    .executeTakeFirstOrThrow();
  expect(again.generation).toBeGreaterThan(generation);
});

test('a rehearsal forgets the addresses of runners, so it cannot reach them', async () => {
  const row = { id: uuidv7(), name: 'far', region: 'local', ingress_address: '203.0.113.1:8082', ingress_secret: 'x' };
  await database.insertInto('runners').values(row).execute();
  const addresses = () =>
    database.selectFrom('runners').select(['ingress_address', 'ingress_secret']).where('id', '=', row.id).execute();
  await finish();
  expect(await addresses()).toEqual([{ ingress_address: row.ingress_address, ingress_secret: 'x' }]);
  await finish(true);
  expect(await addresses()).toEqual([{ ingress_address: null, ingress_secret: null }]);
});

test('the tables that a backup leaves out begin empty', async () => {
  await database.insertInto('outbox').values({ topic: 'pool', key: 'a' }).execute();
  await finish();
  for (const table of tablesLeftOut.filter((name) => name !== 'deployment_epoch'))
    expect(await database.selectFrom(table).selectAll().execute()).toEqual([]);
});
