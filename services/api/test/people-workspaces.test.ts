import { connect, releaseQuotaAndCount } from '@berth/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { wrongCounters } from '../../../tests/harness/counters.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';
import { removeDeleted } from '../../orchestrator/test/remove-deleted.ts';

const { short } = conformanceBrand();

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: { regions: [{ name: 'here' }, { name: 'there' }] } });
});
afterAll(() => api[Symbol.asyncDispose]());

const usage = async (resourceType: string): Promise<number> => {
  const row = await api.database
    .selectFrom('quota_usage')
    .select('used')
    .where('account_id', '=', api.accountId)
    .where('resource_type', '=', resourceType)
    .executeTakeFirst();
  return row?.used ?? 0;
};

test('an account admin creates a workspace, becomes its admin and sees it at once', async () => {
  const creator = await api.user({ account: 'admin' });
  const created = await creator.client.post('/workspaces', {
    name: 'fresh',
    displayName: 'Fresh',
    labels: { team: 'blue' },
    region: 'there',
    runtime: { generation: 'mk3' },
    groupMappings: [],
    // Read-only fields of a complete object sent back are ignored.
    status: 'error',
    id: 'mine',
  });
  expect(created.body).toMatchObject({
    name: 'fresh',
    accountId: api.accountId,
    displayName: 'Fresh',
    region: 'there',
    status: 'ready',
    labels: { team: 'blue' },
    runtime: { generation: 'mk3' },
    groupMappings: [],
    createdBy: creator.id,
  });
  expect(created.body).not.toHaveProperty('statusReason');
  expect(created.body).not.toHaveProperty('resourceCounts');
  expect((await creator.client.get('/workspaces')).body).toEqual([created.body]);
  expect((await creator.client.get('/workspaces/fresh')).body).toEqual(created.body);
  const inside = creator.client.with({ workspace: 'fresh' });
  expect((await inside.get('/users')).body).toMatchObject([{ sub: creator.id, role: 'admin', accepted: true }]);
  expect((await inside.get('/vpcs')).status).toBe(200);
});

test('the steps of a creation are recorded in their order', async () => {
  await api.admin.post('/workspaces', { name: 'stepwise' });
  const steps = await api.database
    .selectFrom('workspace_steps')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_id')
    .select('step')
    .where('name', '=', 'stepwise')
    .orderBy('at')
    .execute();
  expect(steps.map(({ step }) => step).sort()).toEqual(
    ['created', 'account_binded', 'account_configured', 'workspace_configured', 'ready'].sort(),
  );
});

test('only an admin of the account creates workspaces, and foreign and missing accounts look the same', async () => {
  const member = await api.user({ account: 'member', memberOf: api.workspace, role: 'admin' });
  const refused = await member.client.post('/workspaces', { name: 'refused' });
  expect([refused.status, refused.body.error]).toEqual([403, 'role_required']);
  expect((await (await api.user()).client.post('/workspaces', { name: 'refused' })).status).toBe(403);
  const foreign = await api.admin.post('/workspaces', { name: 'refused', accountId: crypto.randomUUID() });
  const nonsense = await api.admin.post('/workspaces', { name: 'refused', accountId: 'nonsense' });
  expect(foreign.status).toBe(403);
  expect(foreign.text).toBe(nonsense.text);
  const robot = await api.admin.post('/service_accounts', { name: 'robot', role: 'admin' });
  const { apiKey } = (await api.admin.post(`/service_accounts/${robot.body.client_id}/api_keys`, {})).body;
  expect((await api.admin.with({ key: apiKey }).post('/workspaces', { name: 'refused' })).status).toBe(403);
});

test('an admin of several accounts must name the account', async () => {
  const creator = await api.user({ account: 'admin' });
  const second = crypto.randomUUID();
  const about = { display_name: 'Second', owner_email: 'x@example.com', plan: 'free', tier: 'tier_0' };
  await api.database
    .insertInto('accounts')
    .values({ id: second, ...about })
    .execute();
  await api.database
    .insertInto('account_members')
    .values({ account_id: second, user_id: creator.id, role: 'admin' })
    .execute();
  const unsaid = await creator.client.post('/workspaces', { name: 'ambiguous' });
  expect([unsaid.status, unsaid.body.error]).toEqual([400, 'account_required']);
  expect(unsaid.body.message).toContain(second);
  const said = await creator.client.post('/workspaces', { name: 'ambiguous', accountId: second });
  expect(said.body).toMatchObject({ accountId: second, status: 'ready' });
  expect((await creator.client.get('/accounts')).body.map(({ id }: { id: string }) => id)).toContain(second);
});

test.each([
  ['api', 'forbidden_reserved'],
  ['default', 'forbidden_reserved'],
  ['docs', 'forbidden_reserved'],
  ['v0', 'forbidden_v_prefix'],
  ['v12', 'forbidden_v_prefix'],
  [short, `forbidden_${short}`],
  [`${short}-team`, `forbidden_${short}`],
  ['main', 'taken'],
  ['ab', undefined],
  ['-abc', undefined],
  ['Upper', undefined],
  ['x'.repeat(33), undefined],
])('the name %s is not available and cannot be created', async (name, reason) => {
  const answer = await api.admin.post('/workspaces/availability', { name }, { query: { withReason: true } });
  expect(answer.body).toMatchObject({ available: false, message: expect.stringMatching(/Choose/) });
  expect(answer.body.reason).toBe(reason);
  expect((await api.admin.post('/workspaces/availability', { name })).body).toBe(false);
  expect((await api.admin.post('/workspaces', { name })).status).toBe(reason === 'taken' ? 409 : 400);
});

test('a free name is available, and asking changes nothing', async () => {
  for (const round of [1, 2]) {
    expect((await api.admin.post('/workspaces/availability', { name: 'free-name' })).body, `round ${round}`).toBe(true);
  }
  const withReason = await api.admin.post(
    '/workspaces/availability',
    { name: 'free-name' },
    { query: { withReason: true } },
  );
  expect(withReason.body).toEqual({ available: true, message: '' });
});

test('two parallel creations of one name give one workspace and one conflict', async () => {
  const before = await usage('workspaces');
  for (const round of [1, 2, 3]) {
    const answers = await Promise.all([1, 2].map(() => api.admin.post('/workspaces', { name: `race-${round}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  }
  expect(await usage('workspaces')).toBe(before + 3);
});

test('a creation repeated with its idempotency key gives the same workspace', async () => {
  const headers = { 'idempotency-key': 'once' };
  const first = await api.admin.post('/workspaces', { name: 'once' }, { headers });
  const again = await api.admin.post('/workspaces', { name: 'once' }, { headers });
  expect([first.status, again.text]).toEqual([200, first.text]);
});

test('a region of another deployment is refused by name', async () => {
  const answer = await api.admin.post('/workspaces', { name: 'elsewhere', region: 'nowhere' });
  expect([answer.status, answer.body.error]).toEqual([400, 'unknown_region']);
  expect(answer.body.message).toContain('here, there');
});

test('a PUT replaces the settings it contains and keeps the others; the name and the region never change', async () => {
  await api.admin.post('/workspaces', { name: 'settled', displayName: 'Before', labels: { a: '1', b: '2' } });
  const changed = await api.admin.put('/workspaces/settled', { labels: { c: '3' }, groupMappings: [] });
  expect(changed.body).toMatchObject({ displayName: 'Before', groupMappings: [] });
  expect(changed.body.labels).toEqual({ c: '3' });
  const whole = await api.admin.put('/workspaces/settled', { ...changed.body, displayName: 'After' });
  expect(whole.body).toMatchObject({ displayName: 'After', id: changed.body.id, createdAt: changed.body.createdAt });
  const renamed = await api.admin.put('/workspaces/settled', { name: 'other' });
  expect([renamed.status, renamed.body.error]).toEqual([400, 'immutable_field']);
  expect((await api.admin.put('/workspaces/settled', { region: 'there' })).status).toBe(400);
});

test('a member may read a workspace, only an admin may change or delete it, others do not find it', async () => {
  await api.addWorkspace('guarded');
  const member = await api.user({ memberOf: 'guarded' });
  const stranger = await api.user({ memberOf: api.workspace, role: 'admin' });
  const accountAdmin = await api.user({ account: 'admin' });
  expect((await member.client.get('/workspaces/guarded')).status).toBe(200);
  expect((await member.client.put('/workspaces/guarded', {})).body.error).toBe('role_required');
  expect((await member.client.delete('/workspaces/guarded')).body.error).toBe('role_required');
  for (const { client } of [stranger, accountAdmin]) {
    const foreign = await client.get('/workspaces/guarded');
    const missing = await client.get('/workspaces/never-was');
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(missing.text);
    expect((await client.delete('/workspaces/guarded')).text).toBe(missing.text);
    expect((await client.put('/workspaces/guarded', {})).text).toBe(missing.text);
  }
});

test('the counts have exactly the fourteen names, and only when asked for', async () => {
  await api.addWorkspace('counted');
  const inside = api.admin.with({ workspace: 'counted' });
  for (const name of ['one', 'two']) await inside.post('/drives', { metadata: { name }, spec: { size: 1 } });
  await inside.post('/drives', { metadata: { name: 'three' }, spec: { size: 1 } });
  await inside.delete('/drives/three');
  await inside.post('/service_accounts', { name: 'robot' });
  const { body } = await api.admin.get('/workspaces/counted', { query: { countResources: true } });
  expect(body.resourceCounts).toEqual({
    agents: 0,
    functions: 0,
    models: 0,
    sandboxes: 0,
    policies: 0,
    jobs: 0,
    volumes: 0,
    drives: 2,
    volumetemplates: 0,
    integrationconnections: 0,
    previews: 0,
    customdomains: 0,
    serviceaccounts: 1,
    images: 0,
  });
  expect((await api.admin.get('/workspaces/counted', { query: { countResources: false } })).body).not.toHaveProperty(
    'resourceCounts',
  );
});

describe('deletion', () => {
  const idOf = async (name: string): Promise<string> => {
    const row = await api.database.selectFrom('workspaces').select('id').where('name', '=', name).executeTakeFirst();
    return row?.id ?? '';
  };
  /** Number of rows that refer to the workspace. */
  const rowsLeft = async (id: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select (
      (select count(*) from resources where workspace_id = ${id}) + (select count(*) from executions where workspace_id = ${id})
      + (select count(*) from resource_counts where workspace_id = ${id})
      + (select count(*) from deleted_workspaces where id = ${id}))::int as count`.execute(api.database);
    return rows[0]?.count ?? -1;
  };

  test('takes everything along, gives the quota back, and leaves other workspaces and keys alone', async () => {
    const before = {
      jobs: await usage('jobs'),
      accounts: await usage('service_accounts'),
      all: await usage('workspaces'),
    };
    const created = await api.admin.post('/workspaces', { name: 'doomed' });
    const inside = api.admin.with({ workspace: 'doomed' });
    for (const name of ['first', 'second']) await inside.post('/jobs', { metadata: { name }, spec: {} });
    await inside.post('/drives', { metadata: { name: 'disk' }, spec: {} });
    const robot = await inside.post('/service_accounts', { name: 'robot' });
    const { apiKey } = (await inside.post(`/service_accounts/${robot.body.client_id}/api_keys`, {})).body;
    await inside.post('/users', { email: 'guest@example.com' });
    const member = await api.user({ memberOf: 'doomed' });
    expect(await usage('jobs')).toBe(before.jobs + 2);

    const deleted = await api.admin.delete('/workspaces/doomed');
    expect(deleted.body).toEqual(created.body);
    expect((await api.admin.get('/workspaces/doomed')).status).toBe(404);
    expect((await inside.get('/drives')).body.error).toBe('workspace_forbidden');
    expect((await api.admin.with({ key: apiKey }).get('/drives')).status).toBe(401);
    expect((await member.client.get('/workspaces')).body).toEqual([]);
    expect((await api.admin.get('/drives')).status).toBe(200);
    expect({
      jobs: await usage('jobs'),
      accounts: await usage('service_accounts'),
      all: await usage('workspaces'),
    }).toEqual(before);
    await removeDeleted(api.database);
    for (const table of [
      'resources',
      'resource_counts',
      'invitations',
      'workspace_members',
      'workspace_keys',
    ] as const) {
      const left = await api.database
        .selectFrom(table)
        .select('workspace_id')
        .where('workspace_id', '=', created.body.id)
        .execute();
      expect(left, table).toEqual([]);
    }
    expect((await api.admin.post('/workspaces', { name: 'doomed' })).body.id).not.toBe(created.body.id);
  });

  test('ends instances that are placed while the workspace is being deleted', async () => {
    await api.addWorkspace('followed');
    const workspaceId = await idOf('followed');
    const inside = api.admin.with({ workspace: 'followed' });
    const spec = { runtime: { image: 'example/agent:1' } };
    for (const name of ['placed', 'idle']) await inside.post('/agents', { metadata: { name }, spec });
    await api.admin.delete('/workspaces/followed');
    await api.database.deleteFrom('outbox').execute();
    const runner = crypto.randomUUID();
    await api.database.insertInto('runners').values({ id: runner, name: 'late', region: 'here' }).execute();
    await sql`insert into instances (id, workspace_id, resource_uid, revision, runner_id, spec, reserved_mb)
      select gen_random_uuid(), workspace_id, uid, 'rev-1', ${runner}, '{}', 1 from resources
      where workspace_id = ${workspaceId} and name = 'placed'`.execute(api.database);
    const { resource_uid } = await api.database
      .selectFrom('instances')
      .select('resource_uid')
      .executeTakeFirstOrThrow();
    await removeDeleted(api.database);
    const messages = await api.database.selectFrom('outbox').select(['topic', 'key', 'workspace_id']).execute();
    expect(messages).toEqual([{ topic: 'reconcile', key: resource_uid, workspace_id: workspaceId }]);
  });

  test('beside writers in the same workspace gives each thing back exactly once', async () => {
    const before = await usage('jobs');
    await api.addWorkspace('busy');
    const id = await idOf('busy');
    const inside = api.admin.with({ workspace: 'busy' });
    const names = Array.from({ length: 20 }, (_, index) => `job-${index}`);
    await Promise.all(names.map((name) => inside.post('/jobs', { metadata: { name }, spec: {} })));
    const deletions = names.slice(0, 10).map((name) => inside.delete(`/jobs/${name}`));
    const [gone] = await Promise.all([api.admin.delete('/workspaces/busy'), ...deletions]);
    expect(gone.status).toBe(200);
    await removeDeleted(api.database);
    expect(await usage('jobs')).toBe(before);
    expect(await rowsLeft(id)).toBe(0);
  });

  test('a resource that is removed while its workspace is deleted gives its reservation back exactly once', async () => {
    // Keeps one job counted, so that a double release would show in the counter.
    await api.admin.post('/jobs', { metadata: { name: 'stays' }, spec: {} });
    const before = await usage('jobs');
    await api.addWorkspace('crossed');
    const workspaceId = await idOf('crossed');
    await api.admin.with({ workspace: 'crossed' }).post('/jobs', { metadata: { name: 'last' }, spec: {} });
    const held = { workspaceId, kind: 'job', accountId: api.accountId, resourceType: 'jobs' };
    await api.database.transaction().execute(async (tx) => {
      await tx.deleteFrom('resources').where('workspace_id', '=', workspaceId).where('kind', '=', 'job').execute();
      expect((await api.admin.delete('/workspaces/crossed')).status).toBe(200);
      await releaseQuotaAndCount(tx, held);
    });
    expect(await usage('jobs')).toBe(before);
    await removeDeleted(api.database);
    expect(await rowsLeft(workspaceId)).toBe(0);
  });

  test('frees its addresses at once, before its resources are removed', async () => {
    const urls: string[] = [];
    for (const round of [1, 2]) {
      await api.addWorkspace('addressed');
      const inside = api.admin.with({ workspace: 'addressed' });
      const spec = { runtime: { image: 'example/agent:1' } };
      const made = await inside.post('/agents', { metadata: { name: 'same' }, spec });
      expect(made.status, `round ${round}: ${made.text}`).toBe(200);
      urls.push(made.body.metadata.url);
      expect((await api.admin.delete('/workspaces/addressed')).status).toBe(200);
    }
    expect(new Set(urls).size).toBe(1);
    await removeDeleted(api.database);
  });

  test('beside creations in the same workspace is no fault of either, and counts nothing that is gone', async () => {
    const before = await usage('jobs');
    for (const round of [1, 2, 3, 4]) {
      const name = `crowded-${round}`;
      await api.addWorkspace(name);
      const id = await idOf(name);
      const inside = api.admin.with({ workspace: name });
      const creations = Array.from({ length: 12 }, (_, index) =>
        inside.post('/jobs', { metadata: { name: `job-${index}` }, spec: {} }),
      );
      const [gone, ...made] = await Promise.all([api.admin.delete(`/workspaces/${name}`), ...creations]);
      expect(gone.status).toBe(200);
      for (const { status } of made) expect([200, 403, 404]).toContain(status);
      await removeDeleted(api.database);
      expect(await rowsLeft(id)).toBe(0);
    }
    expect(await usage('jobs')).toBe(before);
    expect(await wrongCounters(api)).toEqual([]);
  });

  test('of 20 000 resources touches none of them, and they are removed in batches', async () => {
    await api.addWorkspace('large');
    const id = await idOf('large');
    await sql`insert into resources (uid, workspace_id, kind, name, spec, created_by, updated_by, search)
      select gen_random_uuid(), ${id}, 'drive', 'd' || n, '{}', 'x', 'x', 'd' || n from generate_series(1, 20000) n`.execute(
      api.database,
    );
    await sql`insert into resource_counts (workspace_id, kind, live) values (${id}, 'drive', 20000)`.execute(
      api.database,
    );
    const before = await usage('drives');
    await sql`update quota_usage set used = used + 20000 where account_id = ${api.accountId} and resource_type = 'drives'`.execute(
      api.database,
    );
    await removeDeleted(api.database);
    expect((await api.admin.delete('/workspaces/large')).status).toBe(200);
    expect((await api.admin.get('/workspaces/large')).status).toBe(404);
    expect(await usage('drives')).toBe(before);
    const { rows } = await sql`select uid from resources where workspace_id = ${id} and kind = 'drive'`.execute(
      api.database,
    );
    expect(rows).toHaveLength(20_000);
    // One run more for the default VPC. The limits were already released, so no counter is left.
    expect(await removeDeleted(api.database)).toEqual([20_000 / 500 + 1]);
    expect(await rowsLeft(id)).toBe(0);
    expect(await usage('drives')).toBe(before);
  });
});

describe('a creation whose step fails', () => {
  // A trigger in the test's database makes the step fail; the steps themselves are the real ones.
  const breakTable = async (table: string) => {
    const database = connect({ url: api.databaseUrl, maxConnections: 1 });
    await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'out of order'; end $$`.execute(
      database,
    );
    await sql`create trigger refuse before insert on ${sql.table(table)} execute function refuse()`.execute(database);
    return async () => {
      await sql`drop function refuse() cascade`.execute(database);
      await database.destroy();
    };
  };

  test.each([
    ['quota_usage', 'account_binded'],
    ['prices', 'account_configured'],
    ['workspace_keys', 'workspace_configured'],
  ])('in %s says why, and is finished by its creator once the cause is gone', async (table, step) => {
    const name = `broken-${table.replace('_', '-')}`;
    if (table === 'prices') await api.database.deleteFrom('prices').execute();
    const repair = await breakTable(table);
    let created: Awaited<ReturnType<typeof api.admin.post>>;
    try {
      created = await api.admin.post('/workspaces', { name });
      expect(created.body).toMatchObject({ name, status: 'error' });
      expect(created.body.statusReason).toContain(`The step to ${step} failed: out of order`);
      const again = await api.admin.put(`/workspaces/${name}`, {});
      expect(again.body).toMatchObject({ status: 'error', statusReason: created.body.statusReason });
      // In the first case the broken counter would also refuse the service account.
      if (table !== 'quota_usage') {
        const inside = api.admin.with({ workspace: name });
        const robot = (await inside.post('/service_accounts', { name: 'early' })).body;
        const key = await inside.post(`/service_accounts/${robot.client_id}/api_keys`, {});
        expect([key.status, key.body.error]).toEqual([409, 'workspace_not_ready']);
      }
    } finally {
      await repair();
    }
    const mended = await api.admin.put(`/workspaces/${name}`, {});
    expect(mended.body).toMatchObject({ id: created.body.id, status: 'ready' });
    expect(mended.body).not.toHaveProperty('statusReason');
    const drive = await api.admin.with({ workspace: name }).post('/drives', { metadata: { name: 'd' }, spec: {} });
    expect(drive.status).toBe(200);
  });
});
