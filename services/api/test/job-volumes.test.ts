// Volumes of a job are kept in the memory of its tasks, so both are checked together wherever one of them changes.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const volume = (mountPath: string, sizeMb: number) => ({ name: 'scratch', mountPath, sizeMb, type: 'ephemeral' });
const create = (name: string, spec: object) => api.admin.post('/jobs', { metadata: { name }, spec });
const change = (name: string, spec: object) => api.admin.put(`/jobs/${name}`, { metadata: {}, spec });
const start = (name: string, body: object = {}) => api.admin.post(`/jobs/${name}/executions`, body);
const refused = { code: 400, error: 'volumes_refused' };

test('volumes that take more than the memory of a task are 400 at each write, with what to do', async () => {
  const answer = await create('large', { runtime: { memory: 128 }, volumes: [volume('/scratch', 129)] });
  expect(answer.body).toMatchObject({ ...refused, message: expect.stringContaining('Make the volumes smaller') });
  expect((await create('default', { volumes: [volume('/scratch', 1_025)] })).body).toMatchObject(refused);
  expect((await create('fits', { runtime: { memory: 256 }, volumes: [volume('/scratch', 256)] })).status).toBe(200);
  expect((await change('fits', { runtime: { memory: 255 } })).body).toMatchObject(refused);
  expect((await change('fits', { volumes: [volume('/scratch', 257)] })).body).toMatchObject(refused);
  expect((await change('fits', { runtime: { memory: 512 }, volumes: [volume('/scratch', 512)] })).status).toBe(200);
});

test.each(['/', '/proc', '/sys/fs', '/dev/shm', '/a/../proc'])('a volume at %s is 400', async (mountPath) => {
  expect((await create('placed', { volumes: [volume(mountPath, 16)] })).body).toMatchObject(refused);
});

test('duplicate and nested volumes are 400, and so is a volume of no size', async () => {
  const other = { ...volume('/scratch/deep', 16), name: 'deep' };
  expect((await create('nested', { volumes: [volume('/scratch', 16), other] })).body).toMatchObject(refused);
  expect((await create('nested', { volumes: [volume('/a', 16), volume('/b', 16)] })).body).toMatchObject(refused);
  expect((await create('nested', { volumes: [volume('/a', 0)] })).status).toBe(400);
});

test('a memory override may not be smaller than the volumes', async () => {
  await create('override', { runtime: { memory: 512 }, volumes: [volume('/scratch', 256)] });
  expect((await start('override', { memory: 256 })).status).toBe(200);
  expect((await start('override', { memory: 255 })).body).toMatchObject(refused);
});

test('volumes of a job have an effect, so nothing warns about them', async () => {
  const made = await create('quiet', { volumes: [volume('/scratch', 16)] });
  expect(made.body.events.filter(({ type }: { type: string }) => type === 'warning')).toEqual([]);
});

test('volumes that were stored before they were checked block no other change, but every execution', async () => {
  await create('old', { runtime: { memory: 128 } });
  for (const table of ['resources', 'revisions'])
    await sql`update ${sql.table(table)} set spec = spec || ${JSON.stringify({ volumes: [volume('/', 16)] })}::jsonb
      where ${sql.ref(table === 'resources' ? 'uid' : 'resource_uid')} = (select uid from resources where name = 'old')`.execute(
      api.database,
    );
  expect((await change('old', { runtime: { memory: 128, timeout: 5 } })).status).toBe(200);
  expect((await start('old')).body).toMatchObject(refused);
  expect((await change('old', { volumes: [] })).status).toBe(200);
  expect((await start('old')).status).toBe(200);
});
