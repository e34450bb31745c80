// The contents of a deleted workspace are removed completely, also when the orchestrator is killed meanwhile.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { wrongCounters } from '../../../tests/harness/counters.ts';
import type { TestApi } from '../../../tests/harness/test-api.ts';
import { until } from '../../../tests/harness/until.ts';
import { startControlPlane } from './control-plane.ts';
import { OrchestratorProcess } from './orchestrator-process.ts';

const drives = 10_000;

/** Creates a workspace with many drives, and a job with an execution of many tasks. */
async function fillWorkspace(api: TestApi): Promise<string> {
  await api.addWorkspace('full');
  const inside = api.admin.with({ workspace: 'full' });
  await inside.post('/jobs', { metadata: { name: 'wide' }, spec: { runtime: { image: 'example/job:1' } } });
  const tasks = Array.from({ length: 12_000 }, (_, index) => ({ index }));
  const execution = await inside.post('/jobs/wide/executions', { tasks });
  expect(execution.status, execution.text).toBe(200);
  const { id } = await api.database
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', 'full')
    .executeTakeFirstOrThrow();
  await sql`insert into resources (uid, workspace_id, kind, name, spec, created_by, updated_by, search)
    select gen_random_uuid(), ${id}, 'drive', 'd' || n, '{}', 'x', 'x', 'd' || n from generate_series(1, ${drives}::int) n`.execute(
    api.database,
  );
  await sql`insert into resource_counts (workspace_id, kind, live) values (${id}, 'drive', ${drives})`.execute(
    api.database,
  );
  await sql`insert into quota_usage (account_id, resource_type, used) values (${api.accountId}, 'drives', ${drives})
    on conflict (account_id, resource_type) do update set used = quota_usage.used + ${drives}`.execute(api.database);
  return id;
}

async function countLeft({ database }: TestApi, id: string) {
  const { rows } = await sql<{ resources: number; executions: number; tasks: number; counters: number; noted: number }>`
    select (select count(*) from resources where workspace_id = ${id})::int as resources,
      (select count(*) from executions where workspace_id = ${id})::int as executions,
      (select count(*) from tasks)::int as tasks,
      (select count(*) from resource_counts where workspace_id = ${id})::int as counters,
      (select count(*) from deleted_workspaces where id = ${id})::int as noted`.execute(database);
  return rows[0] ?? { resources: -1, executions: -1, tasks: -1, counters: -1, noted: -1 };
}

test('killed in the middle it goes on after a restart, and gives everything back once', async () => {
  await using controlPlane = await startControlPlane();
  const { api } = controlPlane;
  const id = await fillWorkspace(api);
  using orchestrator = await OrchestratorProcess.start(controlPlane);
  // The removal reaches this drive among the last, and waits for its lock.
  await api.database.transaction().execute(async (tx) => {
    await sql`select from resources where workspace_id = ${id} and name = 'd9999' for update`.execute(tx);
    expect((await api.admin.delete('/workspaces/full')).status).toBe(200);
    await until(async () => (await countLeft(api, id)).resources < drives);
    await orchestrator.kill();
  });
  const middle = await countLeft(api, id);
  expect(middle).toMatchObject({ executions: 0, tasks: 0, noted: 1 });
  expect(middle.resources).toBeGreaterThan(0);
  await orchestrator.start();
  await until(async () => (await countLeft(api, id)).noted === 0);
  expect(await countLeft(api, id)).toEqual({ resources: 0, executions: 0, tasks: 0, counters: 0, noted: 0 });
  expect(await wrongCounters(api)).toEqual([]);
  const { rows } = await sql`select used from quota_usage where resource_type = 'execution_bytes' and used > 0`.execute(
    api.database,
  );
  expect(rows).toEqual([]);
}, 120_000);

test('a removal without a notification is found by the resync', async () => {
  await using controlPlane = await startControlPlane();
  const { api } = controlPlane;
  await api.addWorkspace('untold');
  expect((await api.admin.delete('/workspaces/untold')).status).toBe(200);
  await sql`truncate outbox`.execute(api.database);
  await controlPlane.startOrchestrator();
  await until(async () => (await api.database.selectFrom('deleted_workspaces').select('id').execute()).length === 0);
  expect(await wrongCounters(api)).toEqual([]);
});
