import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const cron = (id: string, schedule: string, enabled = true) => ({
  ...{ id, type: 'cron', enabled },
  configuration: { schedule },
});
const job = (name: string, triggers: object[], more: object = {}) => ({
  metadata: { name },
  spec: { triggers, ...more },
});

async function uidOf(name: string): Promise<string> {
  const row = await api.database
    .selectFrom('resources')
    .select('uid')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.uid;
}

const rowsOf = (uid: string) =>
  api.database
    .selectFrom('cron_triggers')
    .select(['trigger_id', 'schedule', 'is_enabled', 'next_at'])
    .where('resource_uid', '=', uid)
    .orderBy('trigger_id')
    .execute();

const cronMessages = async (uid: string): Promise<number> =>
  (await api.database.selectFrom('outbox').select('id').where('topic', '=', 'cron').where('key', '=', uid).execute())
    .length;

test('the schedules of a job are stored with it, and a message arms the first timer', async () => {
  const triggers = [cron('hourly', '0 * * * *'), cron('off', '5 4 * * *', false), { type: 'http-async' }];
  expect((await api.admin.post('/jobs', job('kept', triggers))).status).toBe(200);
  const uid = await uidOf('kept');
  const [hourly, off, ...others] = await rowsOf(uid);
  expect(others).toEqual([]);
  expect(hourly).toMatchObject({ trigger_id: 'hourly', schedule: '0 * * * *', is_enabled: true });
  const waitMs = (hourly?.next_at?.getTime() ?? 0) - Date.now();
  expect(waitMs).toBeLessThanOrEqual(3_600_000);
  expect(off).toEqual({ trigger_id: 'off', schedule: '5 4 * * *', is_enabled: false, next_at: null });
  expect(await cronMessages(uid)).toBe(1);
});

test('a change keeps the next tick of a schedule that stays, removes others, and a disabled job has none', async () => {
  const uid = await uidOf('kept');
  const [before] = await rowsOf(uid);
  const put = async (triggers: object[], more: object = {}) => {
    expect((await api.admin.put('/jobs/kept', job('kept', triggers, more))).status).toBe(200);
    return rowsOf(uid);
  };
  const hourly = cron('hourly', '0 * * * *');
  expect(await put([hourly], { runtime: { memory: 512 } })).toEqual([before]);
  expect(await put([hourly], { enabled: false })).toEqual([{ ...before, is_enabled: false, next_at: null }]);
  expect(await put([hourly], { enabled: true })).toMatchObject([{ is_enabled: true, next_at: expect.any(Date) }]);
  expect(await put([])).toEqual([]);
});

test('the schedules of a deleted job are deleted with it', async () => {
  await api.admin.post('/jobs', job('gone', [cron('hourly', '0 * * * *')]));
  const uid = await uidOf('gone');
  expect((await api.admin.delete('/jobs/gone')).status).toBe(200);
  expect(await rowsOf(uid)).toEqual([]);
});

test('a cron trigger without a schedule is refused, and nothing is stored', async () => {
  for (const trigger of [{ type: 'cron' }, { type: 'cron', configuration: { tasks: [{}] } }]) {
    const { status, body } = await api.admin.post('/jobs', job('timeless', [trigger]));
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('a cron trigger needs a schedule');
  }
  expect((await api.admin.get('/jobs/timeless')).status).toBe(404);
});

test('only triggers that start nothing are warned of', async () => {
  const warnings = async (name: string, trigger: object) =>
    (await api.admin.post('/jobs', job(name, [trigger]))).body.events
      .filter(({ type }: { type: string }) => type === 'warning')
      .map(({ message }: { message: string }) => message);
  expect(await warnings('silent', cron('a', '0 * * * *'))).toEqual([]);
  expect(await warnings('webbed', { type: 'http', configuration: { path: 'webbed' } })).toEqual([]);
  expect(await warnings('async', { type: 'http-async' })).toEqual([
    expect.stringContaining('spec.triggers[].type has no effect: only triggers of type cron and http start executions'),
  ]);
});
