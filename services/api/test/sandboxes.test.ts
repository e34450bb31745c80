import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: { regions: [{ name: 'one' }, { name: 'two' }], limits: { memory: 16_384 } } });
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const make = (name: string, spec: object = {}, query = {}) =>
  api.admin.post('/sandboxes', named(name, spec), { query });
const read = (name: string) => api.admin.get(`/sandboxes/${name}`);
const setStatus = (name: string, status: string) =>
  api.database
    .updateTable('resources')
    .set({ status })
    .where('name', '=', name)
    .where('kind', '=', 'sandbox')
    .execute();
const names = ({ body }: { body: { data: { metadata: { name: string } }[] } }) =>
  body.data.map(({ metadata }) => metadata.name);

describe('names', () => {
  test('a sandbox without a name gets a readable one of its own', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, () => api.admin.post('/sandboxes', { metadata: {}, spec: {} })),
    );
    const given = made.map(({ body }) => body.metadata.name);
    expect(new Set(given).size).toBe(20);
    for (const name of given) expect(name).toMatch(/^[a-z]+-[a-z]+-[0-9a-f]{12}$/);
  });

  test('a taken name is refused in the sandbox form', async () => {
    await make('taken');
    const { status, body } = await make('taken');
    expect(status).toBe(409);
    expect(body).toMatchObject({
      code: 'SANDBOX_ALREADY_EXISTS',
      sandbox_name: 'taken',
      status_code: 409,
      workspace: 'main',
    });
  });

  test('createIfNotExist returns the existing sandbox, and creates one when there is none', async () => {
    const first = await make('wanted', { runtime: { memory: 512 } }, { createIfNotExist: true });
    const second = await make('wanted', { runtime: { memory: 1024 } }, { createIfNotExist: true });
    expect(second.body).toEqual(first.body);
    const total = async () => (await api.admin.get('/sandboxes')).body.meta.total;
    const before = await total();
    const all = await Promise.all(Array.from({ length: 10 }, () => make('raced', {}, { createIfNotExist: true })));
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(new Set(all.map(({ body }) => body.metadata.createdAt)).size).toBe(1);
    expect(await total()).toBe(before + 1);
  });

  test.for([false, true])(
    'a failed record makes room for a new one (createIfNotExist %s)',
    async (createIfNotExist) => {
      const name = `failed-${createIfNotExist}`;
      await api.admin.post('/volumes', named(name));
      const spec = { volumes: [{ name, mountPath: '/data' }], runtime: { memory: 512 } };
      await make(name, spec);
      await setStatus(name, 'FAILED');
      const { meta } = (await api.admin.get('/sandboxes')).body;
      const again = await make(name, { ...spec, runtime: { memory: 1024 } }, { createIfNotExist });
      expect(again.body).toMatchObject({ status: 'DEPLOYING', spec: { runtime: { memory: 1024 } } });
      expect(again.body.events.map(({ type }: { type: string }) => type)).toEqual(['deployment', 'warning']);
      expect((await api.admin.get('/sandboxes')).body.meta.total).toBe(meta.total);
      const refused = await api.admin.delete(`/volumes/${name}`);
      expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining(`sandbox:${name}`)]);
    },
  );

  test('a record that is being deleted is neither given nor replaced', async () => {
    await make('leaving');
    await setStatus('leaving', 'DELETING');
    expect((await make('leaving', {}, { createIfNotExist: true })).status).toBe(409);
  });
});

describe('deletion', () => {
  const age = (name: string, seconds: number) =>
    sql`update resources set terminated_at = clock_timestamp() - make_interval(secs => ${seconds}) where name = ${name} and terminated_at is not null`.execute(
      api.database,
    );

  test('a deleted sandbox is shown as terminated for five minutes, then it is gone', async () => {
    await make('brief', { runtime: { ttl: '1h' } });
    const deleted = await api.admin.delete('/sandboxes/brief');
    expect(deleted.body).toMatchObject({
      status: 'TERMINATED',
      events: [{ type: 'deployment' }, { type: 'deletion' }],
    });
    expect((await read('brief')).body).toMatchObject({ status: 'TERMINATED' });
    expect((await read('brief')).body.expiresIn).toBeUndefined();
    await age('brief', 290);
    expect((await read('brief')).status).toBe(200);
    await age('brief', 301);
    expect((await read('brief')).status).toBe(404);
    expect((await api.admin.delete('/sandboxes/brief')).status).toBe(404);
  });

  test('the retention is the caller’s when it says one', async () => {
    await make('longer', { lifecycle: { terminatedRetention: '2h' } });
    await api.admin.delete('/sandboxes/longer');
    await age('longer', 7190);
    expect((await read('longer')).status).toBe(200);
    await age('longer', 7201);
    expect((await read('longer')).status).toBe(404);
    await make('endless', { lifecycle: { terminatedRetention: '999999999w' } });
    await api.admin.delete('/sandboxes/endless');
    expect((await read('endless')).status).toBe(200);
  });

  test('the name is free at once, and the old record stays behind the new one', async () => {
    await make('reused', { runtime: { memory: 256 } });
    await api.admin.delete('/sandboxes/reused');
    expect((await make('reused', { runtime: { memory: 512 } })).status).toBe(200);
    expect((await read('reused')).body).toMatchObject({ status: 'DEPLOYING', spec: { runtime: { memory: 512 } } });
  });

  test('terminated sandboxes are listed when asked for, as long as they are shown', async () => {
    await make('listed-live');
    for (const name of ['listed-gone', 'listed-old']) {
      await make(name);
      await api.admin.delete(`/sandboxes/${name}`);
    }
    await age('listed-old', 301);
    const list = async (query: object) =>
      names(await api.admin.get('/sandboxes', { query: { q: 'listed', sort: 'name:asc', ...query } }));
    expect(await list({})).toEqual(['listed-live']);
    expect(await list({ showTerminated: true })).toEqual(['listed-gone', 'listed-live']);
    expect(await list({ status: 'TERMINATED' })).toEqual(['listed-gone']);
    expect(await list({ status: 'DEPLOYING', showTerminated: true })).toEqual(['listed-live']);
    const old = await api.admin.with({ version: '2026-04-16' }).get('/sandboxes', { query: { showTerminated: true } });
    const shown = old.body.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    expect([shown.includes('listed-gone'), shown.includes('listed-old')]).toEqual([true, false]);
  });

  test('pages by name leave out none of several records of one name', async () => {
    for (let round = 0; round < 3; round += 1) {
      await make('paged');
      await api.admin.delete('/sandboxes/paged');
    }
    const query = { q: 'paged', sort: 'name:asc', showTerminated: true, limit: 1 };
    let found = 0;
    let cursor: string | undefined;
    do {
      const { body } = await api.admin.get('/sandboxes', {
        query: { ...query, ...(cursor === undefined ? {} : { cursor }) },
      });
      found += body.data.length;
      cursor = body.meta.nextCursor === '' ? undefined : body.meta.nextCursor;
    } while (cursor !== undefined);
    expect(found).toBe(3);
  });
});

describe('lifetime', () => {
  test('expiresIn counts down to the earliest rule, and is absent without one', async () => {
    const created = await make('timed', {
      runtime: { ttl: '2h', expires: new Date(Date.now() + 30 * 60_000).toISOString() },
      lifecycle: { expirationPolicies: [{ type: 'ttl-max-age', value: '1h', action: 'delete' }] },
    });
    expect(created.body.expiresIn).toBeGreaterThan(1790);
    expect(created.body.expiresIn).toBeLessThanOrEqual(1800);
    expect((await make('untimed')).body.expiresIn).toBeUndefined();
  });

  test.for([null, ''])('ttl %j takes the rule away, and null the lifecycle', async (ttl) => {
    const name = `cleared-${ttl === null ? 'null' : 'empty'}`;
    const lifecycle = { expirationPolicies: [{ type: 'ttl-idle', value: '1h' }] };
    await make(name, { runtime: { ttl: '1h', memory: 512 }, lifecycle });
    const first = await api.admin.put(`/sandboxes/${name}`, named(name, { runtime: { memory: 512, ttl } }));
    expect(first.body.spec.runtime).toEqual({ memory: 512 });
    expect(first.body.expiresIn).toBeGreaterThan(0);
    const second = await api.admin.put(`/sandboxes/${name}`, named(name, { lifecycle: null }));
    expect([second.body.expiresIn, second.body.spec.lifecycle]).toEqual([undefined, undefined]);
    expect(second.body.events).toHaveLength(1);
  });

  test.for([
    { runtime: { ttl: '5' } },
    { runtime: { ttl: '0m' } },
    { runtime: { ttl: '5y' } },
    { runtime: { expires: 'tomorrow' } },
    { runtime: { expires: '2026-02-30T00:00:00Z' } },
    { lifecycle: { terminatedRetention: 'soon' } },
    { lifecycle: { expirationPolicies: [{ type: 'ttl-idle', value: '2026-01-01T00:00:00Z' }] } },
    { lifecycle: { expirationPolicies: [{ type: 'date', value: '5m' }] } },
  ])('%j is refused', async (spec) => {
    expect((await make('bad-rule', spec)).status).toBe(400);
    await make('good-rule');
    expect((await api.admin.put('/sandboxes/good-rule', named('good-rule', spec))).status).toBe(400);
  });

  test('an account with enforced lifetimes gives every sandbox one, also when it is cleared', async () => {
    await using strict = await startTestApi({ config: { limits: { sandbox_enforced_ttl: 1, sandbox_ttl: 3 } } });
    const created = await strict.admin.post('/sandboxes', named('bounded'));
    expect(created.body.spec.runtime.ttl).toBe('3d');
    const cleared = await strict.admin.put('/sandboxes/bounded', named('bounded', { runtime: { ttl: null } }));
    expect(cleared.body.spec.runtime.ttl).toBe('3d');
    const own = await strict.admin.post('/sandboxes', named('own', { runtime: { ttl: '1h' } }));
    expect(own.body.spec.runtime.ttl).toBe('1h');
  });

  test('the longest life of a tier ends a sandbox that asks for none', async () => {
    await using small = await startTestApi({ tier: 'tier_0' });
    const { body } = await small.admin.post('/sandboxes', named('short'));
    expect(body.expiresIn).toBeGreaterThan(6.9 * 86_400);
    expect(body.spec.runtime).toBeUndefined();
  });
});

describe('changes', () => {
  test('kernel switches keep their first value', async () => {
    await make('switches', { runtime: { extraArgs: { nfs: 'enabled' }, memory: 512 } });
    const sent = { runtime: { extraArgs: { nfs: 'disabled', tun: 'enabled' }, memory: 512 } };
    const changed = await api.admin.put('/sandboxes/switches', named('switches', sent));
    expect(changed.body.spec.runtime.extraArgs).toEqual({ nfs: 'enabled' });
    await make('no-switches');
    const ignored = await api.admin.put('/sandboxes/no-switches', named('no-switches', sent));
    expect(ignored.body.spec.runtime.extraArgs).toBeUndefined();
  });

  test('region, volumes, VPC and gateway are set at creation only', async () => {
    await make('fixed');
    const volumes = [{ name: 'scratch', mountPath: '/s', type: 'ephemeral', sizeMb: 1 }];
    for (const spec of [{ region: 'two' }, { volumes }, { vpc: 'other' }, { network: { egress: { gateway: 'g' } } }]) {
      const { status, body } = await api.admin.put('/sandboxes/fixed', named('fixed', spec));
      expect([status, body.error]).toEqual([400, 'immutable_field']);
    }
    const same = await api.admin.put('/sandboxes/fixed', named('fixed', { region: 'auto', vpc: 'default' }));
    expect([same.status, same.body.spec.region]).toEqual([200, 'one']);
  });

  test('the network block is replaced as a whole', async () => {
    await make('netted', { network: { firewall: { rulesets: ['default'] }, subnet: 'default' } });
    const network = { proxy: { allowedDomains: [] } };
    const changed = await api.admin.put('/sandboxes/netted', named('netted', { network }));
    expect(changed.body.spec.network).toEqual(network);
  });

  test('a hidden registry login stays when a fetched sandbox is sent back', async () => {
    await make('hidden', { runtime: { dockerConfig: '{"auths":{}}' } });
    const stored = () =>
      api.database.selectFrom('resources').select('spec').where('name', '=', 'hidden').executeTakeFirstOrThrow();
    const before = await stored();
    expect(JSON.stringify(before)).not.toContain('auths');
    const fetched = (await read('hidden')).body;
    expect(JSON.stringify(fetched.spec)).not.toContain('dockerConfig');
    await api.admin.put('/sandboxes/hidden', fetched);
    expect(await stored()).toEqual(before);
  });

  test('switching off and on says so in status and events', async () => {
    await make('switched');
    const set = async (enabled: boolean) =>
      (await api.admin.put('/sandboxes/switched', named('switched', { enabled }))).body;
    const off = await set(false);
    expect([off.status, off.events.length, off.events[1].type]).toEqual(['DEACTIVATED', 2, 'deactivation']);
    expect((await set(false)).events).toHaveLength(2);
    const on = await set(true);
    expect([on.status, on.events[2].message]).toEqual(['DEPLOYING', 'Waiting for a runner.']);
    expect((await make('born-off', { enabled: false })).body.status).toBe('DEACTIVATED');
  });

  test('labels, display name and external id change neither status nor events', async () => {
    const before = (await make('labelled')).body;
    const metadata = { labels: { a: 'b' }, displayName: 'L', externalId: 'ext-1' };
    const { body } = await api.admin.put('/sandboxes/labelled', { metadata, spec: {} });
    expect([body.status, body.events]).toEqual([before.status, before.events]);
  });
});

describe('what it refers to', () => {
  test('memory outside the bounds or above the limit is refused in the sandbox form', async () => {
    expect((await make('small', { runtime: { memory: 127 } })).status).toBe(400);
    expect((await make('small', { runtime: { memory: 128 } })).status).toBe(200);
    const { status, body } = await make('big', { runtime: { memory: 16_385 } });
    expect([status, body.code, body.status_code]).toEqual([403, 'QUOTA_EXCEEDED', 403]);
  });

  test('the number of sandboxes is bounded by the account', async () => {
    await using few = await startTestApi({ config: { limits: { sandboxes: 2 }, tiers: {} } });
    const statuses = [];
    for (const name of ['a', 'b', 'c']) statuses.push((await few.admin.post('/sandboxes', named(name))).status);
    expect(statuses).toEqual([200, 200, 403]);
    await few.admin.delete('/sandboxes/a');
    expect((await few.admin.post('/sandboxes', named('c'))).status).toBe(200);
  });

  test('the VPC and the gateway in it must exist, in the same region', async () => {
    const code = async (spec: object) => {
      const { status, body } = await make('routed', spec);
      return [status, body.code];
    };
    const through = (gateway: string) => ({ network: { egress: { mode: 'dedicated', gateway } } });
    expect(await code({ vpc: 'none' })).toEqual([400, 'UNKNOWN_REFERENCE']);
    expect(await code(through('none'))).toEqual([400, 'UNKNOWN_REFERENCE']);
    await api.admin.post('/vpcs', named('side'));
    await api.admin.post('/vpcs/side/egressgateways', named('side-exit', { region: 'two' }));
    expect(await code(through('side-exit'))).toEqual([400, 'UNKNOWN_REFERENCE']);
    expect(await code({ vpc: 'side', ...through('side-exit') })).toEqual([400, 'OTHER_REGION']);
    expect(await code({ vpc: 'side', region: 'two', ...through('side-exit') })).toEqual([400, 'SETTING_NOT_HONOURED']);
    expect((await make('routed', { vpc: 'side', region: 'two' })).body.spec.vpc).toBe('side');
  });

  test('nothing is claimed about a sandbox that does not run yet', async () => {
    const { body } = await make('waiting');
    expect(body).toMatchObject({ status: 'DEPLOYING', events: [{ message: 'Waiting for a runner.' }] });
    for (const field of ['state', 'nodeGeneration', 'lastUsedAt', 'expiresIn', 'errors'])
      expect(body[field]).toBeUndefined();
    expect(body.spec).toEqual({ enabled: true, region: 'one', vpc: 'default' });
  });
});
