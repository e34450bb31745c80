// Previews over HTTP: their format, their addresses, and what ends them.
import { setTimeout as sleep } from 'node:timers/promises';
import { maintain } from '@berth/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { addAccount } from '../../../tests/harness/tenant.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    config: { regions: [{ name: 'one' }, { name: 'two' }], workloadDomain: 'run.example', workloadScheme: 'https' },
  });
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const sandbox = async (name: string, client = api.admin) => {
  const made = await client.post('/sandboxes', named(name, { region: 'one' }));
  expect(made.status, made.text).toBe(200);
};
const previews = (sandboxName: string) => `/sandboxes/${sandboxName}/previews`;
const at = (sandboxName: string, name: string) => `${previews(sandboxName)}/${name}`;
const create = (sandboxName: string, name: string, spec: object = {}, query = {}, client = api.admin) =>
  client.post(previews(sandboxName), named(name, { port: 3000, ...spec }), { query });
const urlOf = async (sandboxName: string, name: string, spec: object = {}) =>
  (await create(sandboxName, name, spec)).body.spec.url as string;
const held = async (kind: string) => {
  const { rows } = await sql<{ used: number }>`select used from quota_usage
    where account_id = ${api.accountId} and resource_type = ${kind}`.execute(api.database);
  return rows[0]?.used ?? 0;
};
const counted = async () =>
  (await api.admin.get('/workspaces/main', { query: { countResources: true } })).body.resourceCounts.previews;
const uidOf = async (name: string) => {
  const row = await api.database
    .selectFrom('resources')
    .select('uid')
    .where('name', '=', name)
    .where('terminated_at', 'is', null)
    .executeTakeFirstOrThrow();
  return row.uid;
};

test('a preview says where it is, whose it is and that it is ready, and is found alone and in a bare array', async () => {
  await sandbox('shape');
  expect((await api.admin.get(previews('shape'))).text).toBe('[]');
  const made = await api.admin.post(previews('shape'), {
    metadata: { name: 'site', displayName: 'The site', resourceName: 'other', workspace: 'other' },
    spec: { port: 3000, url: 'https://elsewhere.example', region: 'two' },
  });
  expect(made.body).toMatchObject({
    metadata: {
      name: 'site',
      displayName: 'The site',
      resourceName: 'shape',
      resourceType: 'sandbox',
      workspace: 'main',
    },
    spec: { port: 3000, public: false, region: 'one' },
    status: 'DEPLOYED',
  });
  expect(made.body.spec.url).toMatch(/^https:\/\/[0-9a-f]{20}\.one\.preview\.run\.example$/);
  expect(made.body.events).toHaveLength(1);
  expect((await api.admin.get(at('shape', 'site'))).body).toEqual(made.body);
  expect((await api.admin.get(previews('shape'))).body).toEqual([made.body]);
  expect((await api.admin.with({ version: '2026-04-16' }).get(previews('shape'))).body).toEqual([made.body]);
});

test('a sandbox that is missing or terminated has no previews, and a preview that is missing is not found', async () => {
  await sandbox('gone');
  await api.admin.delete('/sandboxes/gone');
  for (const name of ['gone', 'never']) {
    expect((await api.admin.get(previews(name))).status).toBe(404);
    expect((await create(name, 'site')).status).toBe(404);
  }
  await sandbox('empty');
  for (const method of ['GET', 'PUT', 'DELETE'] as const)
    expect(
      (await api.admin.send(method, at('empty', 'none'), method === 'PUT' ? { body: named('none') } : {})).status,
    ).toBe(404);
});

test('port 80 is refused, 443 is the sandbox API, and a port need not be declared', async () => {
  await sandbox('ports');
  for (const port of [80, 0, 65_536, 1.5, '3000']) expect((await create('ports', 'bad', { port })).status).toBe(400);
  expect((await api.admin.post(previews('ports'), named('none'))).status).toBe(400);
  for (const [name, port] of [
    ['api', 443],
    ['high', 65_535],
    ['low', 1],
  ] as const)
    expect((await create('ports', name, { port })).body.spec.port).toBe(port);
  expect((await api.admin.put(at('ports', 'high'), named('high', { port: 80 }))).status).toBe(400);
});

test('wire check 13: a preview that is made again, also in a sandbox that is made again, has the same address', async () => {
  await sandbox('again');
  const first = await urlOf('again', 'site');
  expect(await urlOf('again', 'other')).not.toBe(first);
  expect((await api.admin.delete(at('again', 'site'))).status).toBe(200);
  expect(await urlOf('again', 'site', { port: 4000 })).toBe(first);
  await api.admin.delete('/sandboxes/again');
  await sandbox('again');
  expect((await api.admin.get(previews('again'))).body).toEqual([]);
  expect(await urlOf('again', 'site')).toBe(first);
});

test('with a prefix the address is the prefix and the workspace, or a part of its id where the name is too long', async () => {
  await sandbox('prefixed');
  expect(await urlOf('prefixed', 'a', { prefixUrl: 'shop' })).toBe('https://shop-main.one.preview.run.example');
  await api.addWorkspace('a-long-workspace');
  const there = api.admin.with({ workspace: 'a-long-workspace' });
  await sandbox('prefixed', there);
  const prefixUrl = 'p'.repeat(54);
  const { url } = (await create('prefixed', 'a', { prefixUrl }, {}, there)).body.spec;
  expect(url).toMatch(new RegExp(`^https://${prefixUrl}-[0-9a-f]{8}\\.one\\.preview\\.run\\.example$`));
  for (const bad of ['p'.repeat(55), 'Shop', '-shop', 'shop-', 'sh.op', 'sh_op'])
    expect((await create('prefixed', 'bad', { prefixUrl: bad })).status, bad).toBe(400);
});

test('the same host twice in the account is refused with 409, and force replaces the preview that has it', async () => {
  await sandbox('first');
  await sandbox('second');
  await create('first', 'one', { prefixUrl: 'twice' });
  const refused = await create('second', 'two', { prefixUrl: 'twice' });
  expect(refused.status).toBe(409);
  expect(refused.body.message).toMatch(/twice-main\.one\.preview\.run\.example.*force=true/);
  expect((await api.admin.get(previews('second'))).body).toEqual([]);
  const before = [await counted(), await held('previews')];
  const forced = await create('second', 'two', { prefixUrl: 'twice' }, { force: true });
  expect(forced.body.spec.url).toBe('https://twice-main.one.preview.run.example');
  expect((await api.admin.get(at('first', 'one'))).status).toBe(404);
  expect([await counted(), await held('previews')]).toEqual(before);
  expect((await create('second', 'two')).status).toBe(409);
  expect((await create('second', 'two', { port: 9000 }, { force: true })).body.spec.port).toBe(9000);
  expect([await counted(), await held('previews')]).toEqual(before);
});

test('force takes no host from another workspace, and a host of another account is passed over without a word', async () => {
  await api.addWorkspace('b-c');
  const other = api.admin.with({ workspace: 'b-c' });
  await sandbox('theirs', other);
  await create('theirs', 'site', { prefixUrl: 'a' }, {}, other);
  const stranger = await addAccount(api, 'strange');
  await stranger.client.post('/workspaces', { name: 'b-c-d' });
  await sandbox('theirs', stranger.client.with({ workspace: 'b-c-d' }));
  await create('theirs', 'site', { prefixUrl: 'z' }, {}, stranger.client.with({ workspace: 'b-c-d' }));
  await api.addWorkspace('c-d');
  const mine = api.admin.with({ workspace: 'c-d' });
  await sandbox('mine', mine);
  const passed = await create('mine', 'site', { prefixUrl: 'z-b' }, { force: true }, mine);
  expect(passed.body.spec.url).toMatch(/^https:\/\/z-b-[0-9a-f]{8}\.one\./);
  await api.addWorkspace('ccc');
  await api.addWorkspace('b-ccc');
  const inB = api.admin.with({ workspace: 'b-ccc' });
  await sandbox('held', inB);
  await create('held', 'site', { prefixUrl: 'a' }, {}, inB);
  const inC = api.admin.with({ workspace: 'ccc' });
  await sandbox('taker', inC);
  expect((await create('taker', 'site', { prefixUrl: 'a-b' }, { force: true }, inC)).status).toBe(409);
  expect((await inB.get(at('held', 'site'))).status).toBe(200);
});

test('headers are bounded, on one line, and none that a message or the platform needs for itself', async () => {
  await sandbox('headers');
  const { long } = conformanceBrand();
  const good = { 'Access-Control-Allow-Origin': 'https://a.example', 'X-Own': 'tab\there' };
  const made = await create('headers', 'good', { responseHeaders: good, requestHeaders: { 'X-Secret': 's' } });
  expect(made.body.spec).toMatchObject({ responseHeaders: good, requestHeaders: { 'X-Secret': 's' } });
  const bad: Record<string, string>[] = [
    ...['Host', 'content-length', 'Connection', 'Keep-Alive', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade'].map(
      (name) => ({ [name]: 'x' }),
    ),
    { 'Proxy-Authorization': 'x' },
    { Expect: 'x' },
    { 'a b': 'x' },
    { 'a:': 'x' },
    { 'X-Split': 'a\r\nSet-Cookie: b' },
    { 'X-Null': 'a\u0000' },
    { 'X-Wide': 'é' },
    { 'X-Long': 'x'.repeat(4097) },
    { [`X-${long}-Subject`]: 'admin' },
    { [`x_${long.toLowerCase()}_subject`]: 'admin' },
    Object.fromEntries(Array.from({ length: 51 }, (_, number) => [`X-${number}`, 'x'])),
  ];
  for (const headers of bad)
    for (const field of ['requestHeaders', 'responseHeaders']) {
      const { status } = await create('headers', 'bad', { [field]: headers });
      expect(status, JSON.stringify(headers).slice(0, 80)).toBe(400);
    }
});

test('PUT changes the fields it contains, keeps the rest, and moves the address with its prefix', async () => {
  await sandbox('change');
  const { body } = await create('change', 'site', { ttl: '1h', responseHeaders: { 'X-A': 'a' } });
  const sentBack = await api.admin.put(at('change', 'site'), body);
  expect(sentBack.body.spec).toEqual(body.spec);
  const opened = await api.admin.put(at('change', 'site'), named('site', { public: true }));
  expect(opened.body.spec).toEqual({ ...body.spec, public: true });
  const moved = await api.admin.put(at('change', 'site'), named('site', { prefixUrl: 'moved', port: 8000 }));
  expect(moved.body.spec.url).toBe('https://moved-main.one.preview.run.example');
  expect((await api.admin.get(at('change', 'site'))).body).toEqual(moved.body);
  const cleared = await api.admin.put(
    at('change', 'site'),
    named('site', { prefixUrl: '', ttl: null, responseHeaders: null }),
  );
  expect(cleared.body.spec).toEqual({ port: 8000, public: true, region: 'one', url: body.spec.url });
  await create('change', 'other', { prefixUrl: 'other' });
  expect((await api.admin.put(at('change', 'site'), named('site', { prefixUrl: 'other' }))).status).toBe(409);
  expect((await api.admin.get(at('change', 'site'))).body).toEqual(cleared.body);
});

test('DELETE answers with the preview as DELETING, and the next read is 404', async () => {
  await sandbox('deleted');
  const before = [await counted(), await held('previews')];
  await create('deleted', 'site');
  const gone = await api.admin.delete(at('deleted', 'site'));
  expect(gone.body).toMatchObject({ metadata: { name: 'site', resourceName: 'deleted' }, status: 'DELETING' });
  expect((await api.admin.get(at('deleted', 'site'))).status).toBe(404);
  expect((await api.admin.delete(at('deleted', 'site'))).status).toBe(404);
  expect([await counted(), await held('previews')]).toEqual(before);
});

test('a sandbox that ends, in whatever way, takes its previews and their tokens with it and gives back what they counted for', async () => {
  const before = [await counted(), await held('previews')];
  const waysOut: Record<string, (uid: string) => Promise<unknown>> = {
    deleted: () => api.admin.delete('/sandboxes/way-deleted'),
    terminated: (uid) =>
      sql`update resources set status = 'TERMINATED', terminated_at = now() where uid = ${uid}`.execute(api.database),
    removed: (uid) => sql`delete from resources where uid = ${uid}`.execute(api.database),
  };
  for (const [way, end] of Object.entries(waysOut)) {
    await sandbox(`way-${way}`);
    const uid = await uidOf(`way-${way}`);
    for (const name of ['a', 'b']) {
      await create(`way-${way}`, name);
      await api.admin.post(`${at(`way-${way}`, name)}/tokens`, named('t'));
    }
    await end(uid);
    const left = await sql<{ left: number }>`
      select (select count(*) from resources where parent_uid = ${uid})::integer
        + (select count(*) from resource_counts where parent_uid = ${uid})::integer as left`.execute(api.database);
    expect(left.rows, way).toEqual([{ left: 0 }]);
    expect([await counted(), await held('previews')], way).toEqual(before);
  }
});

test('a preview that is made while its sandbox ends never stays behind', async () => {
  for (let round = 0; round < 15; round += 1) {
    await sandbox('racing');
    const uid = await uidOf('racing');
    await Promise.all([
      ...['a', 'b', 'c'].map((name) => create('racing', name)),
      api.admin.delete('/sandboxes/racing'),
    ]);
    const left = await api.database.selectFrom('resources').select('name').where('parent_uid', '=', uid).execute();
    expect(left).toEqual([]);
  }
});

test('ttl and expires end a preview at that moment: 404, not listed, its name and host free; maintenance removes the row', async () => {
  await sandbox('short');
  const before = await held('previews');
  const soon = new Date(Date.now() + 5_000).toISOString();
  await create('short', 'by-ttl', { ttl: '5s', prefixUrl: 'brief' });
  await create('short', 'by-date', { ttl: '1h', expires: soon });
  expect((await api.admin.get(previews('short'))).body).toHaveLength(2);
  await sleep(5_200);
  expect((await api.admin.get(previews('short'))).body).toEqual([]);
  for (const name of ['by-ttl', 'by-date']) {
    expect((await api.admin.get(at('short', name))).status).toBe(404);
    expect((await api.admin.delete(at('short', name))).status).toBe(404);
    expect((await api.admin.get(`${at('short', name)}/tokens`)).status).toBe(404);
  }
  await sandbox('heir');
  expect((await create('heir', 'site', { prefixUrl: 'brief' })).status).toBe(200);
  expect((await create('short', 'by-date')).status).toBe(200);
  await create('short', 'last', { ttl: '1s' });
  await sleep(1_100);
  await maintain(api.database);
  expect(await held('previews')).toBe(before + 2);
});

test('a preview that would be over at once is refused, and changed rules count from its creation', async () => {
  await sandbox('over');
  const past = await create('over', 'site', { expires: '2020-01-01T00:00:00Z' });
  expect(past.status).toBe(400);
  expect(past.body.message).toContain('past');
  for (const ttl of ['0s', '5', 'soon']) expect((await create('over', 'site', { ttl })).status).toBe(400);
  await create('over', 'site');
  await sleep(1_100);
  expect((await api.admin.put(at('over', 'site'), named('site', { ttl: '1s' }))).status).toBe(400);
  expect((await api.admin.put(at('over', 'site'), named('site', { ttl: '1d' }))).body.spec.ttl).toBe('1d');
});

test('ten at once under one name or one prefix have one winner', async () => {
  await sandbox('crowd');
  const sameName = await Promise.all(Array.from({ length: 10 }, () => create('crowd', 'one')));
  expect(sameName.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  const samePrefix = await Promise.all(
    Array.from({ length: 10 }, (_, number) => create('crowd', `p-${number}`, { prefixUrl: 'crowd' })),
  );
  expect(samePrefix.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  const forced = await Promise.all(
    Array.from({ length: 10 }, (_, number) => create('crowd', `f-${number}`, { prefixUrl: 'crowd' }, { force: true })),
  );
  expect(forced.map(({ status }) => status)).toEqual(Array(10).fill(200));
  const left = (await api.admin.get(previews('crowd'))).body.filter(
    ({ spec }: { spec: { prefixUrl?: string } }) => spec.prefixUrl,
  );
  expect(left).toHaveLength(1);
});
