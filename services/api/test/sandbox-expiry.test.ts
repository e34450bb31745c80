// Sheet 3.5 and 5.10: from the moment a rule ends a sandbox it is over for every reader, even before its end is
// written.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiWithFakeRunners, named } from './api-with-fake-runners.ts';

let deployment: ApiWithFakeRunners;
let runnerId: string;
beforeAll(async () => {
  deployment = await ApiWithFakeRunners.start();
  ({ id: runnerId } = await deployment.addRunner());
});
afterAll(() => deployment[Symbol.asyncDispose]());

async function make(name: string, spec: object = {}, metadata: object = {}) {
  await deployment.addWaiting(runnerId);
  const answer = await deployment.api.admin.post('/sandboxes', { metadata: { name, ...metadata }, spec });
  expect(answer.status).toBe(200);
  return answer.body;
}
const read = (name: string) => deployment.api.admin.get(`/sandboxes/${name}`);
const expire = (name: string, secondsAgo = 1) =>
  sql`update resources set expires_at = clock_timestamp() - make_interval(secs => ${secondsAgo})
    where name = ${name} and terminated_at is null`.execute(deployment.api.database);
const list = async (query: Record<string, string | boolean>) => {
  const { body } = await deployment.api.admin.get('/sandboxes', { query: { sort: 'name:asc', ...query } });
  return body.data.map(
    (item: { metadata: { name: string }; status: string }) => `${item.metadata.name} ${item.status}`,
  );
};

test('wire check 14: after its ttl it is TERMINATED on read, and a create of the same name succeeds with a fresh one', async () => {
  const first = await make('short', { runtime: { ttl: '5s' } });
  expect(first.status).toBe('DEPLOYED');
  expect([1, 2, 3, 4, 5]).toContain(first.expiresIn);
  const [old] = await deployment.instances('short');
  const { expires_at } = await deployment.resource('short');
  await sleep((expires_at?.getTime() ?? 0) - Date.now() + 1);
  const over = (await read('short')).body;
  expect([over.status, over.state, over.expiresIn]).toEqual(['TERMINATED', undefined, undefined]);
  const again = await make('short');
  expect(again.status).toBe('DEPLOYED');
  const row = await deployment.api.database
    .selectFrom('instances')
    .selectAll()
    .where('id', '=', old?.id ?? '')
    .execute();
  expect(row).toMatchObject([{ desired: 'gone' }]);
  const [fresh] = await deployment.instances('short');
  expect(fresh?.id).not.toBe(old?.id);
  expect((await read('short')).body.status).toBe('DEPLOYED');
});

test.for([
  ['runtime.ttl', { runtime: { ttl: '90s' } }, 90],
  ['ttl-max-age', { lifecycle: { expirationPolicies: [{ type: 'ttl-max-age', value: '2m' }] } }, 120],
  [
    'the first of several',
    { runtime: { ttl: '1h' }, lifecycle: { expirationPolicies: [{ type: 'ttl-max-age', value: '1m' }] } },
    60,
  ],
] as const)('%s is kept as the time at which it ends', async ([rule, spec, seconds]) => {
  const name = `kept-${seconds}`;
  await make(name, spec);
  const { created_at, expires_at } = await deployment.resource(name);
  expect((expires_at?.getTime() ?? 0) - created_at.getTime(), rule).toBe(seconds * 1_000);
});

test('expires and date are kept as they are said, and a rule beyond every calendar as none', async () => {
  const at = new Date(Date.now() + 3_600_000);
  await make('dated', { runtime: { expires: at.toISOString() } });
  expect((await deployment.resource('dated')).expires_at).toEqual(at);
  await make('policy', { lifecycle: { expirationPolicies: [{ type: 'date', value: at.toISOString() }] } });
  expect((await deployment.resource('policy')).expires_at).toEqual(at);
  await make('endless', { runtime: { ttl: '999999999w' } });
  expect((await deployment.resource('endless')).expires_at).toBeNull();
});

test('the longest life of an account ends it too', async () => {
  await using small = await ApiWithFakeRunners.start({ tier: 'tier_0' });
  await small.api.admin.post('/sandboxes', named('bounded'));
  const { created_at, expires_at } = await small.resource('bounded');
  expect((expires_at?.getTime() ?? 0) - created_at.getTime()).toBe(7 * 86_400_000);
});

test('an expired sandbox is listed, filtered and found as terminated, and gone after its retention', async () => {
  await make('over-a', {}, { externalId: 'ext-over' });
  await make('over-b');
  await expire('over-a');
  expect(await list({ q: 'over-' })).toEqual(['over-b DEPLOYED']);
  expect(await list({ q: 'over-', showTerminated: true })).toEqual(['over-a TERMINATED', 'over-b DEPLOYED']);
  expect(await list({ q: 'over-', status: 'TERMINATED' })).toEqual(['over-a TERMINATED']);
  expect(await list({ q: 'over-', status: 'DEPLOYED' })).toEqual(['over-b DEPLOYED']);
  expect(await list({ q: 'over-', status: 'DEPLOYED', showTerminated: true })).toEqual(['over-b DEPLOYED']);
  expect((await deployment.api.admin.get('/sandboxes/by-external-id/ext-over')).status).toBe(404);
  await expire('over-a', 299);
  expect((await read('over-a')).body.status).toBe('TERMINATED');
  await expire('over-a', 301);
  expect((await read('over-a')).status).toBe(404);
  expect(await list({ q: 'over-', showTerminated: true })).toEqual(['over-b DEPLOYED']);
});

test('a terminated sandbox refuses every change', async () => {
  await make('over-c');
  await expire('over-c');
  expect((await deployment.api.admin.put('/sandboxes/over-c', named('over-c'))).status).toBe(404);
  expect((await deployment.api.admin.delete('/sandboxes/over-c')).status).toBe(404);
  expect((await deployment.api.admin.put('/sandboxes/over-c/stop')).status).toBe(404);
});

test('createIfNotExist makes a new one where the old one is over, and the old one says by which rule', async () => {
  await make('over-d', { runtime: { ttl: '1h' } });
  const { uid } = await deployment.resource('over-d');
  await sql`update resources set created_at = created_at - interval '2 hours', expires_at = expires_at - interval '2 hours'
    where uid = ${uid}`.execute(deployment.api.database);
  await deployment.addWaiting(runnerId);
  const { body } = await deployment.api.admin.post('/sandboxes', named('over-d'), {
    query: { createIfNotExist: true },
  });
  expect(body.events).toHaveLength(1);
  const events = await deployment.api.database
    .selectFrom('resource_events')
    .selectAll()
    .where('resource_uid', '=', uid)
    .execute();
  expect(events.at(-1)).toMatchObject({
    type: 'expiration',
    status: 'TERMINATED',
    message: expect.stringContaining('1h'),
  });
  const { meta } = (await deployment.api.admin.get('/sandboxes')).body;
  const live = await deployment.api.database
    .selectFrom('resources')
    .select('uid')
    .where('kind', '=', 'sandbox')
    .where('terminated_at', 'is', null)
    .execute();
  expect(meta.total).toBe(live.length);
});

test('U-19: ttl-idle counts from the last real use', async () => {
  const expirationPolicies = [{ type: 'ttl-idle', value: '1h' }];
  await make('idle', { lifecycle: { expirationPolicies } });
  const { uid, created_at } = await deployment.resource('idle');
  await sql`update resources set created_at = created_at - interval '3 hours' where uid = ${uid}`.execute(
    deployment.api.database,
  );
  await sql`update instances set used_at = clock_timestamp() - interval '20 minutes' where resource_uid = ${uid}`.execute(
    deployment.api.database,
  );
  const { body } = await read('idle');
  expect(body.status).toBe('DEPLOYED');
  expect(Math.abs(body.expiresIn - 2400)).toBeLessThan(30);
  expect(new Date(body.lastUsedAt).getTime()).toBeLessThan(created_at.getTime());
});
