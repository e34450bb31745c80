import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: { regions: [{ name: 'one' }, { name: 'two' }], limits: { volume_size: 4096 } } });
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const sandboxWith = (name: string, volume: string, spec: object = {}) =>
  named(name, { volumes: [{ name: volume, mountPath: '/data' }], ...spec });

test('a volume gets an infrastructure id, a size and the home region, none of them from the body', async () => {
  const { body } = await api.admin.post('/volumes', named('plain', { infrastructureId: 'vol-chosen' }));
  expect(body.spec).toEqual({
    size: 1024,
    region: 'one',
    infrastructureId: expect.stringMatching(/^vol-[0-9a-f]{12}$/),
  });
  expect(body.metadata.url).toMatch(/\/v0\/volumes\/plain$/);
  expect(body.status).toBe('DEPLOYING');
  const changed = await api.admin.put('/volumes/plain', named('plain', { infrastructureId: 'vol-other' }));
  expect(changed.body.spec).toEqual(body.spec);
});

test('any change of size, region or template is refused by its name', async () => {
  await api.admin.post('/volumes', named('fixed', { size: 512, region: 'two' }));
  for (const [field, value] of Object.entries({ size: 513, region: 'one', template: 'some:latest' })) {
    const refused = await api.admin.put('/volumes/fixed', named('fixed', { [field]: value }));
    expect([refused.status, refused.body.error, refused.body.message]).toEqual([
      400,
      'immutable_field',
      expect.stringContaining(`spec.${field}`),
    ]);
  }
  const same = await api.admin.put('/volumes/fixed', named('fixed', { size: 512, region: 'auto' }));
  expect([same.status, same.body.spec.region]).toEqual([200, 'two']);
});

test('a volume above the limit for one volume is refused with 403', async () => {
  const refused = await api.admin.post('/volumes', named('huge', { size: 4097 }));
  expect([refused.status, refused.body.error]).toEqual([403, 'quota_exceeded']);
  expect((await api.admin.post('/volumes', named('large', { size: 4096 }))).status).toBe(200);
});

test('listed volumes are lite', async () => {
  const { body } = await api.admin.get('/volumes', { query: { q: 'plain' } });
  expect(Object.keys(body.data[0]).sort()).toEqual(['metadata', 'spec', 'state', 'status']);
  expect(Object.keys(body.data[0].metadata).sort()).toEqual(['createdAt', 'name', 'updatedAt']);
  expect(Object.keys(body.data[0].spec).sort()).toEqual(['region', 'size']);
});

test('a volume is reserved while its sandbox lives, for that one alone, and is not called attached before it is mounted', async () => {
  await api.admin.post('/volumes', named('shared'));
  expect((await api.admin.post('/sandboxes', sandboxWith('holder', 'shared'))).status).toBe(200);
  const { state, events, status } = (await api.admin.get('/volumes/shared')).body;
  expect([state, status]).toEqual([{}, 'DEPLOYING']);
  expect(events).toMatchObject([
    { type: 'deployment' },
    { type: 'attach', message: expect.stringMatching(/^Reserved for sandbox:holder\. It is not mounted/) },
  ]);
  const second = await api.admin.post('/sandboxes', sandboxWith('other', 'shared'));
  expect([second.status, second.body.code]).toEqual([409, 'VOLUME_ATTACHED']);
  expect((await api.admin.get('/sandboxes/other')).status).toBe(404);
  const refused = await api.admin.delete('/volumes/shared');
  expect([refused.status, refused.body.error]).toEqual([409, 'volume_attached']);
  await api.admin.delete('/sandboxes/holder');
  expect((await api.admin.get('/volumes/shared')).body.state).toEqual({});
  const deleted = await api.admin.delete('/volumes/shared');
  expect(Date.parse(deleted.body.terminatedAt)).toBeGreaterThan(0);
  expect((await api.admin.get('/volumes/shared')).status).toBe(404);
});

test('two sandboxes that ask for one volume at once: exactly one gets it', async () => {
  await api.admin.post('/volumes', named('wanted'));
  const asked = Array.from({ length: 8 }, (_, index) =>
    api.admin.post('/sandboxes', sandboxWith(`racer-${index}`, 'wanted')),
  );
  const statuses = (await Promise.all(asked)).map(({ status }) => status).sort();
  expect(statuses).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
});

test('a volume that is missing or in another region is refused with 400', async () => {
  await api.admin.post('/volumes', named('far', { region: 'two' }));
  const missing = await api.admin.post('/sandboxes', sandboxWith('lost', 'nowhere'));
  expect([missing.status, missing.body.code]).toEqual([400, 'UNKNOWN_REFERENCE']);
  const elsewhere = await api.admin.post('/sandboxes', sandboxWith('near', 'far', { region: 'one' }));
  expect([elsewhere.status, elsewhere.body.code]).toEqual([400, 'OTHER_REGION']);
  expect((await api.admin.post('/sandboxes', sandboxWith('there', 'far', { region: 'two' }))).status).toBe(200);
});

test('a sandbox takes one persistent volume at most, and ephemeral ones need no volume', async () => {
  const two = [
    { name: 'plain', mountPath: '/a' },
    { name: 'large', mountPath: '/b' },
  ];
  expect((await api.admin.post('/sandboxes', named('both', { volumes: two }))).status).toBe(400);
  const scratch = [{ name: 'scratch', mountPath: '/tmp/x', type: 'ephemeral', sizeMb: 64 }];
  expect((await api.admin.post('/sandboxes', named('scratch', { volumes: scratch }))).status).toBe(200);
});

test('an agent with volumes needs a region, follows changes of the list and lets go when it is deleted', async () => {
  await api.admin.post('/volumes', named('first'));
  await api.admin.post('/volumes', named('second'));
  const volumes = (...names: string[]) => names.map((name) => ({ name, mountPath: `/${name}` }));
  const holderOf = async (name: string) => {
    const row = await api.database
      .selectFrom('resources')
      .select('state')
      .where('kind', '=', 'volume')
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    return row.state?.attachedTo;
  };
  const unpinned = await api.admin.post('/agents', named('keeper', { volumes: volumes('first') }));
  expect([unpinned.status, unpinned.body.error]).toEqual([400, 'region_required']);
  await api.admin.post('/agents', named('keeper', { region: 'one', volumes: volumes('first') }));
  expect(await holderOf('first')).toBe('agent:keeper');
  await api.admin.put('/agents/keeper', named('keeper', { volumes: volumes('second') }));
  expect([await holderOf('first'), await holderOf('second')]).toEqual([undefined, 'agent:keeper']);
  const moved = await api.admin.put('/agents/keeper', named('keeper', { region: 'two' }));
  expect([moved.status, moved.body.error]).toEqual([400, 'other_region']);
  await api.admin.delete('/agents/keeper');
  expect(await holderOf('second')).toBeUndefined();
});

test('a template reference must name a version that exists, and gives the size when none is asked for', async () => {
  await api.admin.post('/volume_templates', named('content', { defaultSize: 2048 }), { query: { version: '1' } });
  await api.admin.post('/volume_templates', named('empty', { defaultSize: 2048 }));
  const sizeOf = async (name: string, spec: object) =>
    (await api.admin.post('/volumes', named(name, spec))).body.spec.size;
  expect(await sizeOf('from-one', { template: 'content:1' })).toBe(2048);
  expect(await sizeOf('from-latest', { template: 'content:latest' })).toBe(2048);
  expect(await sizeOf('from-name', { template: 'content', size: 3000 })).toBe(3000);
  for (const template of ['content:2', 'empty:latest', 'missing:latest']) {
    const refused = await api.admin.post('/volumes', named('bad', { template }));
    expect([refused.status, refused.body.error]).toEqual([400, 'unknown_reference']);
  }
});
