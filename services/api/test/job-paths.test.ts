import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { plainTriggerPath, triggerPathFault } from '@berth/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await api.addWorkspace('other');
});
afterAll(() => api[Symbol.asyncDispose]());

const http = (id: string, path: string, more: object = {}, enabled = true) => ({
  ...{ id, type: 'http', enabled },
  configuration: { path, ...more },
});
const job = (name: string, ...triggers: object[]) => ({ metadata: { name }, spec: { triggers } });
const create = (name: string, ...triggers: object[]) => api.admin.post('/jobs', job(name, ...triggers));
const replace = (name: string, ...triggers: object[]) => api.admin.put(`/jobs/${name}`, job(name, ...triggers));

/** Rows of the job, in the order of their paths. */
const rowsOf = (name: string) =>
  api.database
    .selectFrom('trigger_paths')
    .innerJoin('resources', 'uid', 'resource_uid')
    .select(['path', 'trigger_id', 'is_enabled', 'is_public'])
    .where('name', '=', name)
    .orderBy('path')
    .execute();

const row = (path: string, trigger_id: string, is_enabled = true, is_public = false) => ({
  ...{ path, trigger_id, is_enabled, is_public },
});

test('the paths of a job are stored with it in one form, follow its changes and are deleted with it', async () => {
  const made = await create(
    'kept',
    http('a', '/hooks/a'),
    http('b', 'hooks/b', { authenticationType: 'public' }, false),
  );
  expect(made.body.spec.triggers[0].configuration).toEqual({ path: 'hooks/a' });
  expect(await rowsOf('kept')).toEqual([row('hooks/a', 'a'), row('hooks/b', 'b', false, true)]);
  // The two triggers exchange their paths.
  await replace('kept', http('a', 'hooks/b'), http('b', 'hooks/a', { authenticationType: 'anything' }));
  expect(await rowsOf('kept')).toEqual([row('hooks/a', 'b'), row('hooks/b', 'a')]);
  await replace('kept', http('a', 'hooks/c'));
  expect(await rowsOf('kept')).toEqual([row('hooks/c', 'a')]);
  expect((await api.admin.delete('/jobs/kept')).status).toBe(200);
  expect(await rowsOf('kept')).toEqual([]);
});

test('a path that is taken in the workspace is refused with its holder, at creation and at a change', async () => {
  expect((await create('first', http('a', 'taken'))).status).toBe(200);
  expect((await create('third', http('a', 'free'))).status).toBe(200);
  for (const refused of [
    await create('second', http('x', '/taken')),
    await replace('third', http('x', 'new'), http('y', 'taken')),
  ])
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({ error: 'path_taken', message: expect.stringContaining('taken by the job first') }),
    ]);
  expect((await api.admin.get('/jobs/second')).status).toBe(404);
  expect(await rowsOf('third')).toEqual([row('free', 'a')]);
  const elsewhere = await api.admin.with({ workspace: 'other' }).post('/jobs', job('same', http('a', 'taken')));
  expect(elsewhere.status).toBe(200);
});

test('a path that one job names twice is refused too', async () => {
  const refused = await create('twice', http('a', 'both'), http('b', '/both'));
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('taken by the job twice')]);
});

test('of two jobs that are created at once with one path, one gets it', async () => {
  for (let round = 0; round < 10; round += 1) {
    const path = `race/${round}`;
    const made = await Promise.all([
      create(`left-${round}`, http('a', path), http('b', `${path}/x`)),
      create(`right-${round}`, http('a', `${path}/x`), http('b', path)),
    ]);
    expect(made.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  }
});

test('a path without effect is warned of once', async () => {
  const warnings = ({ body }: Awaited<ReturnType<typeof create>>): string[] =>
    body.events.flatMap(({ type, message }: { type: string; message: string }) => (type === 'warning' ? message : []));
  const cron = {
    id: 'c',
    type: 'cron',
    configuration: { schedule: '0 4 * * *', path: 'a b', authenticationType: 'x' },
  };
  const warned = [
    expect.stringMatching(/configuration\.path, .*authenticationType: no effect on triggers of another type than http/),
  ];
  expect(warnings(await create('idle', cron))).toEqual(warned);
  expect(warnings(await replace('idle', { ...cron, enabled: false }))).toEqual(warned);
  expect(await rowsOf('idle')).toEqual([]);
});

test('the migration takes over the good paths of stored jobs, and of equal ones the oldest', async () => {
  const paths = [
    ...['hooks/a', '/hooks/a', '/lead', 'a/b/c/d', 'a.b/-c/_', '..a', 'agentsx/y', 'Agents', 'x'.repeat(200)],
    ...['', '/', 'a/', 'a//b', '../a', 'a/./b', 'a/..', 'a b', 'ä', 'a\nb', '-a', 'agents', 'models/x', 'a/b/c/d/e'],
    ...['x'.repeat(201), '//a', 'jobs/x', 'a?b'],
  ];
  const workspaceId = randomUUID();
  const { database, accountId } = api;
  await sql`insert into workspaces (id, account_id, name, status, created_by, updated_by)
    values (${workspaceId}, ${accountId}, 'migrated', 'ready', 'x', 'x')`.execute(database);
  for (const [index, path] of paths.entries()) {
    const triggers = [http('t', path, index === 0 ? { authenticationType: 'public' } : {}, index !== 2)];
    await sql`insert into resources (uid, workspace_id, kind, name, spec, created_by, updated_by, search, created_at)
      values (${randomUUID()}, ${workspaceId}, 'job', ${`job-${index}`}, ${JSON.stringify({ triggers })}, 'x', 'x', 'x',
        clock_timestamp() + make_interval(secs => ${index}))`.execute(database);
  }
  const folder = resolve(import.meta.dirname, '../../../packages/database/migrations');
  const text = await readFile(resolve(folder, '0020-trigger-paths.sql'), 'utf8');
  await sql.raw(text.slice(text.indexOf('insert into'))).execute(database);
  const rows = await database
    .selectFrom('trigger_paths')
    .innerJoin('resources', 'uid', 'resource_uid')
    .select(['name', 'path', 'is_enabled', 'is_public'])
    .where('trigger_paths.workspace_id', '=', workspaceId)
    .orderBy('resources.created_at')
    .execute();
  const expected = paths.map((path, index) => ({
    ...{ name: `job-${index}`, path: plainTriggerPath(path) },
    ...{ is_enabled: index !== 2, is_public: index === 0 },
  }));
  expect(rows).toEqual(expected.filter(({ path }, index) => index !== 1 && triggerPathFault(path) === undefined));
  expect(rows).toHaveLength(8);
});
