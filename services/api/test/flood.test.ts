// A flood of requests with invented keys: they use one connection of the api and are refused beyond that, while known
// callers are served.
import { newApiKey } from '@berth/identity';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

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

/** Number of statements of the api that wait for a lock. */
async function waiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and application_name = 'berth-api' and wait_event_type = 'Lock'`.execute(
    api.database,
  );
  return rows[0]?.count ?? 0;
}

test('invented keys take one connection, are refused beyond their lane, and a known caller is answered meanwhile', async () => {
  const { key } = await api.user({ memberOf: 'main' });
  expect((await call(key)).status).toBe(200);
  // The use of the key is recorded after the answer. A later record would wait for the lock and be counted below.
  const uses = () => api.database.selectFrom('api_keys').select('id').where('last_used_at', 'is not', null).execute();
  await expect.poll(uses).toHaveLength(1);
  const early: Awaited<ReturnType<typeof call>>[] = [];
  const flood = await api.database.transaction().execute(async (tx) => {
    expect((await call(key)).status).toBe(200);
    await sql`lock table api_keys in access exclusive mode`.execute(tx);
    const send = async () => {
      const answer = await call(newApiKey(brand).value);
      early.push(answer);
      return answer;
    };
    const first = send();
    await expect.poll(waiting, { timeout: 30_000 }).toBe(1);
    const sent = Promise.all([first, ...Array.from({ length: 250 }, send)]);
    // One lookup runs and 200 wait; these end only when the table's lock is released, or after seconds.
    await expect.poll(() => early.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(50);
    expect(await waiting()).toBe(1);
    // Once the cached principal of the known caller has expired, its lookup is sent at once, beside the flood.
    const known: ReturnType<typeof call>[] = [];
    await expect
      .poll(
        () => {
          known.push(call(key));
          return waiting();
        },
        { timeout: 30_000 },
      )
      .toBe(2);
    return { sent, known };
  });
  for (const { status } of await Promise.all(flood.known)) expect(status).toBe(200);
  const answers = await flood.sent;
  expect(early.slice(0, 50)).toEqual(
    Array(50).fill({ status: 429, retryAfter: '1', text: expect.stringContaining('lookups_busy') }),
  );
  // Lookups that ran after the lock was released get 401; the others have waited too long and get 429.
  expect(answers.filter(({ status }) => status !== 401 && status !== 429)).toEqual([]);
  expect(answers.some(({ status }) => status === 401)).toBe(true);
}, 60_000);

test('a key and an address have rate limits, with Retry-After and a message that names them', async () => {
  await using limited = await startTestApi({
    config: {
      trustedProxies: ['127.0.0.1'],
      // The rates are so low that the test does not depend on the clock: one request is granted about every hour.
      rateLimits: { perKey: { perSecond: 0.0003, burst: 3 }, perAddress: { perSecond: 0.0003, burst: 5 } },
    },
  });
  const { key } = await limited.user({ memberOf: 'main' });
  const from = async (address: string, path = '/v0/drives') => {
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': address };
    const answer = await fetch(`${limited.url}${path}`, { headers });
    return {
      status: answer.status,
      retryAfter: Number(answer.headers.get('retry-after')),
      body: JSON.parse(await answer.text()),
    };
  };
  for (let sent = 0; sent < 3; sent += 1) expect((await from('198.51.100.1')).status).toBe(200);
  const refused = await from('198.51.100.1');
  expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited', code: 429 } });
  expect(refused.retryAfter).toBeGreaterThan(3_000);
  expect(refused.body.message).toMatch(/came with the key ak_\w+, after a burst of 3\. .*api\.rateLimits\.perKey\.$/);
  // Addresses are counted before keys, and also for paths without an operation.
  expect((await from('198.51.100.1', '/v0/nothing')).status).toBe(404);
  const later = await from('198.51.100.1', '/v0/nothing');
  expect(later).toMatchObject({ status: 429, body: { error: 'rate_limited' } });
  expect(later.body.message).toMatch(
    /came from 198\.51\.100\.1, after a burst of 5\. .*api\.rateLimits\.perAddress\.$/,
  );
  expect((await from('198.51.100.2', '/v0/nothing')).status).toBe(404);
});
