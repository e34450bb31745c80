// The storage of executions is limited per account and released however an execution ends.
import { maintain } from '@berth/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addAccount } from '../../../tests/harness/tenant.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

const limit = 300_000;
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: { tiers: { tier_9: { execution_bytes: limit } } } });
});
afterAll(() => api[Symbol.asyncDispose]());

const large = { tasks: [{ blob: 'x'.repeat(100_000) }] };
const job = (name: string) => api.admin.post('/jobs', { metadata: { name }, spec: {} });
const start = (name: string, body: object = large, headers: Record<string, string> = {}) =>
  api.admin.post(`/jobs/${name}/executions`, body, { headers });
const used = async (): Promise<number> => {
  const { rows } = await sql<{ used: number }>`
    select used::float8 as used from quota_usage where resource_type = 'execution_bytes'`.execute(api.database);
  return rows[0]?.used ?? 0;
};
/** Ends all executions long ago and removes them. */
const expireAll = async (): Promise<void> => {
  await sql`update executions set status = 'cancelled', completed_at = now() - interval '31 days'`.execute(
    api.database,
  );
  await maintain(api.database, { executionDays: 30 });
};

test('a loop of large executions ends at the limit of the account, and the refusal names it; a deleted job keeps its bytes until its executions expire', async () => {
  await job('loop');
  const answers = await Promise.all(Array.from({ length: 8 }, () => start('loop')));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 403, 403, 403, 403, 403, 403]);
  const refused = answers.find(({ status }) => status === 403);
  expect(refused?.body.error).toBe('quota_exceeded');
  expect(refused?.body.message).toContain(`limit of ${limit} for execution_bytes`);
  expect(await used()).toBeGreaterThan(200_000);
  expect((await api.admin.delete('/jobs/loop')).status).toBe(200);
  expect(await used()).toBeGreaterThan(200_000);
  await expireAll();
  expect(await used()).toBe(0);
  await job('loop');
  expect((await start('loop')).status).toBe(200);
  await api.admin.delete('/jobs/loop');
  await expireAll();
});

test('large executions of an account are taken at a rate; the refusal names it, and other accounts and small executions pass', async () => {
  await using slow = await startTestApi({ config: { largeBodyMbPerSecond: 0.1 } });
  const other = await addAccount(slow, 'other');
  const huge = { tasks: [{ blob: 'x'.repeat(2_000_000) }] };
  for (const { client, body, status } of [
    { client: slow.admin, body: huge, status: 200 },
    { client: slow.admin, body: huge, status: 429 },
    { client: slow.admin, body: large, status: 200 },
    { client: other.client, body: huge, status: 200 },
  ]) {
    await client.post('/jobs', { metadata: { name: 'loop' }, spec: {} });
    const answer = await client.post('/jobs/loop/executions', body);
    expect(answer.status).toBe(status);
    if (status !== 429) continue;
    expect(answer.body.message).toContain('faster than 0.1 MB per second');
    expect(answer.body.message).toContain('api.largeBodyMbPerSecond');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(5);
  }
});

test('many small executions are bounded too: a row takes room however little it says', async () => {
  await job('small');
  await start('small', { tasks: Array(1_000).fill({}) });
  expect(await used()).toBeGreaterThan(1_000 * 100);
  await api.admin.delete('/jobs/small');
  await expireAll();
});

test('finished executions expire, and their listing, their count and their bytes follow; others stay', async () => {
  await job('old');
  for (const executionId of ['finished', 'fresh', 'waiting'])
    expect((await start('old', { executionId, tasks: [{}] })).status).toBe(200);
  for (const id of ['finished', 'fresh']) await api.admin.delete(`/jobs/old/executions/${id}`);
  await sql`update executions set completed_at = now() - interval '31 days' where external_id = 'finished'`.execute(
    api.database,
  );
  await sql`update executions set created_at = now() - interval '31 days' where external_id = 'waiting'`.execute(
    api.database,
  );
  const before = await used();
  expect(await maintain(api.database, { executionDays: 30 })).toMatchObject({ removedExecutions: 1 });
  const { body } = await api.admin.get('/jobs/old/executions');
  expect(body.data.map((each: { metadata: { name: string } }) => each.metadata.name).toSorted()).toHaveLength(2);
  expect(body.meta.total).toBe(2);
  expect(await used()).toBeLessThan(before);
  await expireAll();
  expect(await used()).toBe(0);
});

test('an Idempotency-Key keeps no second copy of the inputs, and a repeat gets the same answer', async () => {
  await job('echo');
  const headers = { 'idempotency-key': 'once' };
  const first = await start('echo', { executionId: 'one', ...large }, headers);
  const again = await start('echo', { executionId: 'one', ...large }, headers);
  expect([first.status, again.text]).toEqual([200, first.text]);
  expect(first.body.tasks).toEqual(large.tasks);
  const { rows } = await sql<{ bytes: number }>`
    select max(length(answer)) as bytes from idempotency_keys where key = 'once'`.execute(api.database);
  expect(rows[0]?.bytes).toBeLessThan(2_000);
});
