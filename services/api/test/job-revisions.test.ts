// Which revision of its job an execution runs.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const image = (version: number) => `registry.example/report:${version}`;
const put = async (name: string, spec: object) => {
  const answer = await api.admin.put(`/jobs/${name}`, { metadata: { name }, spec });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
};

interface ShownRevision {
  readonly id: string;
  readonly active: boolean;
  readonly trafficPercent: number;
}
const revisionsOf = async (name: string): Promise<ShownRevision[]> =>
  (await api.admin.get(`/jobs/${name}/revisions`)).body;

/** Makes a job with three revisions, whose images and timeouts are 1, 2 and 3; returns their ids, newest first. */
async function makeJob(name: string): Promise<string[]> {
  const runtime = (version: number) => ({
    runtime: { image: image(version), timeout: version, memory: 128 * version },
  });
  await api.admin.post('/jobs', { metadata: { name }, spec: runtime(1) });
  await put(name, runtime(2));
  await put(name, runtime(3));
  return (await revisionsOf(name)).map(({ id }) => id);
}

const start = (job: string, body: object = {}) => api.admin.post(`/jobs/${job}/executions`, body);

async function startedWith(job: string) {
  const { executionId } = (await start(job)).body;
  const { spec, memory_mb } = await api.database
    .selectFrom('executions')
    .select(['spec', 'memory_mb'])
    .where('external_id', '=', executionId)
    .executeTakeFirstOrThrow();
  return { ...spec, memoryMb: memory_mb };
}

const version = (number: number, revision: string | undefined) => ({
  revision,
  timeoutSeconds: number,
  memoryMb: 128 * number,
  job: { runtime: { image: image(number) } },
});

test('without an active revision an execution runs the newest', async () => {
  const [newest] = await makeJob('newest');
  expect(await startedWith('newest')).toMatchObject(version(3, newest));
});

test('an execution runs the active revision of its job, and the canary in its share of executions', async () => {
  const [newest, middle, oldest] = await makeJob('chosen');
  await put('chosen', { revision: { active: oldest } });
  expect(await startedWith('chosen')).toMatchObject(version(1, oldest));
  await put('chosen', { revision: { active: oldest, canary: middle, canaryPercent: 100 } });
  expect(await startedWith('chosen')).toMatchObject(version(2, middle));
  await put('chosen', { revision: { active: newest, canary: middle, canaryPercent: 0 } });
  expect(await startedWith('chosen')).toMatchObject(version(3, newest));
});

test('the list of revisions shows which of them executions run', async () => {
  const [newest, middle, oldest] = await makeJob('listed');
  const shown = async () =>
    (await revisionsOf('listed')).map(({ id, active, trafficPercent }) => [id, active, trafficPercent]);
  const newestRuns = [
    [newest, true, 100],
    [middle, false, 0],
    [oldest, false, 0],
  ];
  expect(await shown()).toEqual(newestRuns);
  await put('listed', { revision: { active: '' } });
  expect(await shown()).toEqual(newestRuns);
  await put('listed', { revision: { active: oldest, canary: middle, canaryPercent: 25 } });
  expect(await shown()).toEqual([
    [newest, false, 0],
    [middle, false, 25],
    [oldest, true, 75],
  ]);
});

test('memory of an execution may not exceed that of the revision that it runs', async () => {
  const [, , oldest] = await makeJob('small');
  expect((await start('small', { memory: 384 })).status).toBe(200);
  await put('small', { revision: { active: oldest } });
  expect((await start('small', { memory: 384 })).body).toMatchObject({ code: 400, error: 'memory_above_job' });
});

test('a new revision leaves the chosen one in use; an active revision that was the newest is followed by it', async () => {
  const [newest, , oldest] = await makeJob('kept');
  await put('kept', { revision: { active: oldest } });
  await put('kept', { runtime: { image: image(4), timeout: 4, memory: 512 } });
  expect(await startedWith('kept')).toMatchObject(version(1, oldest));
  await makeJob('followed');
  const [first] = (await revisionsOf('followed')).map(({ id }) => id);
  await put('followed', { revision: { active: first } });
  await put('followed', { runtime: { image: image(4), timeout: 4, memory: 512 } });
  expect(await startedWith('followed')).toMatchObject(version(4, (await revisionsOf('followed'))[0]?.id));
  expect(newest).not.toBe(first);
});
