// Requests of one account do not block those of others: they hold some of the connections, never all, and none for
// long.
import { uuidv7 } from '@berth/database';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addAccount } from '../../../tests/harness/tenant.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

/** Locks the row of an agent until it is released: every change of the agent waits and holds its connection. */
async function holdAgent(api: TestApi, name: string): Promise<{ release(): Promise<void> }> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = api.database.transaction().execute(async (tx) => {
    await tx.selectFrom('resources').select('uid').where('name', '=', name).forUpdate().execute();
    held.resolve();
    await released.promise;
  });
  await held.promise;
  return {
    async release() {
      released.resolve();
      await holding;
    },
  };
}

const agent = (name: string) => ({ metadata: { name }, spec: { runtime: { image: 'example/agent:1' } } });

test('an account whose requests all hang leaves connections to others, over all its workspaces', async () => {
  await using api = await startTestApi({ config: { databaseConnections: 5, statementSeconds: 60 } });
  const other = await addAccount(api, 'other');
  await api.addWorkspace('second');
  const clients = [api.admin, api.admin.with({ workspace: 'second' })];
  for (const client of clients) expect((await client.post('/agents', agent('stuck'))).status).toBe(200);
  const hold = await holdAgent(api, 'stuck');
  let settled = 0;
  const hanging = clients.flatMap((client) =>
    Array.from({ length: 10 }, () =>
      client.put('/agents/stuck', agent('stuck')).then((answer) => {
        settled += 1;
        return answer.status;
      }),
    ),
  );
  try {
    for (let count = 0; count < 5; count += 1) {
      expect((await other.client.post('/agents', agent(`free-${count}`))).status).toBe(200);
      expect((await other.client.get('/agents')).status).toBe(200);
    }
    expect(settled).toBe(0);
  } finally {
    await hold.release();
  }
  expect(new Set(await Promise.all(hanging))).toEqual(new Set([200]));
});

test('a statement that takes longer than the setting is cancelled, and the answer names the limit and the next step', async () => {
  await using api = await startTestApi({ config: { statementSeconds: 0.5 } });
  await api.admin.post('/agents', agent('slow'));
  const hold = await holdAgent(api, 'slow');
  try {
    const refused = await api.admin.put('/agents/slow', agent('slow'));
    expect([refused.status, refused.body.error]).toEqual([503, 'took_too_long']);
    expect(refused.body.message).toContain('longer than 0.5 seconds');
  } finally {
    await hold.release();
  }
  expect((await api.admin.put('/agents/slow', agent('slow'))).status).toBe(200);
});

test('deleting a workspace full of resources tells what runs, and leaves the rest to work of that workspace', async () => {
  await using api = await startTestApi();
  await api.addWorkspace('full');
  const { database } = api;
  const { id } = await database
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', 'full')
    .executeTakeFirstOrThrow();
  await sql`insert into resources (uid, workspace_id, kind, name, spec, status, created_by, updated_by, search)
    select gen_random_uuid(), ${id}, 'agent', 'a-' || n, '{}', 'DEPLOYED', 'x', 'x', 'a' from generate_series(1, 5000) as n`.execute(
    database,
  );
  const runner = uuidv7();
  await database.insertInto('runners').values({ id: runner, name: 'one', region: 'local' }).execute();
  await sql`insert into instances (id, workspace_id, resource_uid, revision, runner_id, spec, reserved_mb)
    select gen_random_uuid(), ${id}, uid, 'rev-1', ${runner}, '{}', 1 from resources where name like 'a-%' limit 1000`.execute(
    database,
  );
  await database.deleteFrom('outbox').execute();
  expect((await api.admin.delete('/workspaces/full')).status).toBe(200);
  const { rows } = await sql<{ topic: string; runs: boolean; workspace_id: string }>`
    select topic, workspace_id, exists (select 1 from instances where resource_uid::text = key) as runs
    from outbox order by created_at, id`.execute(database);
  expect(rows).toEqual([
    ...Array.from({ length: 1_000 }, () => ({ topic: 'reconcile', workspace_id: id, runs: true })),
    { topic: 'removal', workspace_id: id, runs: false },
  ]);
});
