// Requests with invented keys at the api: they take a few of its connections and are refused beyond that, known callers are not.
import { newApiKey } from '@berth/identity';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conformanceBrand } from '../support/conformance-brand.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const brand = conformanceBrand();
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

async function call(key: string) {
  const answer = await fetch(`${api.url}/v0/drives`, { headers: { authorization: `Bearer ${key}` } });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() };
}

/** Questions of the api that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and application_name = 'berth-api' and wait_event_type = 'Lock'`.execute(
    api.database,
  );
  return rows[0]?.count ?? 0;
}

test('invented keys take two connections, are refused beyond their lane, and a known caller is answered meanwhile', async () => {
  const { key } = await api.user({ memberOf: 'main' });
  const early: Awaited<ReturnType<typeof call>>[] = [];
  const flood = await api.database.transaction().execute(async (tx) => {
    expect((await call(key)).status).toBe(200);
    await sql`lock table api_keys in access exclusive mode`.execute(tx);
    const sent = Promise.all(
      Array.from({ length: 600 }, async () => {
        const answer = await call(newApiKey(brand).value);
        early.push(answer);
        return answer;
      }),
    );
    // Two are asked about and 500 wait; nothing moves while the table is locked.
    await expect.poll(() => early.length).toBe(98);
    expect(await waiting()).toBe(2);
    // The known caller's question is sent at once, beside those.
    const known = call(key);
    await expect.poll(waiting).toBe(3);
    return { sent, known };
  });
  expect((await flood.known).status).toBe(200);
  const answers = await flood.sent;
  expect(early.slice(0, 98)).toEqual(
    Array(98).fill({ status: 429, retryAfter: '1', text: expect.stringContaining('lookups_busy') }),
  );
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(502);
}, 60_000);
