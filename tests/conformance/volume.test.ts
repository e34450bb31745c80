// Volumes. Specification: Volume; States and transitions; Management endpoints.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: { regions: [{ name: 'one' }, { name: 'two' }] } });
  const template = (name: string) => ({ metadata: { name }, spec: { defaultSize: 2048 } });
  for (const name of ['content', 'other'])
    await api.admin.post('/volume_templates', template(name), { query: { version: '1' } });
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const sandboxWith = (name: string, volume: string) =>
  named(name, { volumes: [{ name: volume, mountPath: '/data', type: 'persistent' }] });
const text = expect.any(String);

test('volume.fields: a volume returns metadata, spec with region, size, template and infrastructureId, events, state and status in their types', async () => {
  const metadata = { name: 'whole', displayName: 'Whole', labels: { team: 'blue' } };
  const spec = { region: 'two', size: 512, template: 'content:1' };
  const created = await api.admin.post('/volumes', { metadata, spec });
  expect(created.body).toEqual({
    metadata: {
      ...metadata,
      createdAt: text,
      updatedAt: text,
      createdBy: text,
      updatedBy: text,
      plan: text,
      url: text,
      workspace: api.workspace,
    },
    spec: { ...spec, infrastructureId: expect.stringMatching(/./) },
    events: [expect.objectContaining({ type: text, time: text })],
    state: {},
    status: text,
  });
  expect((await api.admin.get('/volumes/whole')).body).toEqual(created.body);
  for (const odd of [{ region: 7 }, { size: '7' }, { size: 1.5 }, { size: 0 }, { template: 7 }])
    expect((await api.admin.post('/volumes', named('odd', odd))).status, JSON.stringify(odd)).toBe(400);
});

test('volume.required: a volume without metadata or without spec is refused with 400', async () => {
  const { metadata, spec } = named('part', { size: 1 });
  for (const body of [{ metadata }, { spec }, {}, { metadata: null, spec }, { metadata, spec: null }, undefined])
    expect((await api.admin.post('/volumes', body)).status, JSON.stringify(body)).toBe(400);
  expect((await api.admin.get('/volumes/part')).status).toBe(404);
});

test('volume.immutable-spec: changing size, region or template of a volume is refused with a 400 that names the field', async () => {
  const spec = { size: 512, region: 'one', template: 'content:1' };
  const created = await api.admin.post('/volumes', named('fixed', spec));
  await api.admin.post('/volumes', named('untemplated', { size: 512 }));
  const changes = [
    ['fixed', 'size', 513],
    ['fixed', 'region', 'two'],
    ['fixed', 'template', 'other:1'],
    ['untemplated', 'template', 'content:1'],
  ] as const;
  for (const [name, field, value] of changes) {
    const refused = await api.admin.put(`/volumes/${name}`, named(name, { [field]: value }));
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(`spec.${field}`)]);
  }
  const same = await api.admin.put('/volumes/fixed', created.body);
  expect([same.status, same.body.spec]).toEqual([200, created.body.spec]);
  expect((await api.admin.get('/volumes/untemplated')).body.spec).not.toHaveProperty('template');
});

test('volume.read-only: events, state, status, terminatedAt and infrastructureId sent in a body are ignored', async () => {
  const claims = {
    events: [{ type: 'deployment', status: 'DEPLOYED', message: 'Mine.' }],
    state: { attachedTo: 'sandbox:mine' },
    status: 'DEPLOYED',
    terminatedAt: '2001-01-01T00:00:00.000Z',
  };
  const sent = { ...named('honest', { size: 5, infrastructureId: 'mine' }), ...claims };
  const created = await api.admin.post('/volumes', sent);
  const changed = await api.admin.put('/volumes/honest', sent);
  for (const { status, body, text: raw } of [created, changed]) {
    expect(status).toBe(200);
    expect(raw.toLowerCase()).not.toContain('mine');
    expect(body).toMatchObject({ state: {}, status: 'DEPLOYING', events: [{ status: 'DEPLOYING' }] });
    expect(body).not.toHaveProperty('terminatedAt');
  }
  expect(changed.body.spec.infrastructureId).toBe(created.body.spec.infrastructureId);
  expect((await api.admin.get('/volumes/honest')).body).toEqual(changed.body);
});

test('volume.attached-to: a volume named by a sandbox is reserved for it and for no other, and none is called attached before it is mounted', async () => {
  for (const name of ['held', 'free']) await api.admin.post('/volumes', named(name));
  expect((await api.admin.post('/sandboxes', sandboxWith('holder', 'held'))).status).toBe(200);
  const { body } = await api.admin.get('/volumes', { query: { limit: 200 } });
  for (const { state } of body.data) expect(state).toEqual({});
  expect((await api.admin.post('/sandboxes', sandboxWith('rival', 'held'))).status).toBe(409);
  expect((await api.admin.post('/sandboxes', sandboxWith('other', 'free'))).status).toBe(200);
  const kept = await api.admin.delete('/volumes/held');
  expect([kept.status, kept.body.message]).toEqual([409, expect.stringContaining('sandbox:holder')]);
});

test('volume.outlives-sandbox: after its sandbox is deleted a volume is still there, is free, and can be named by another sandbox', async () => {
  const created = await api.admin.post('/volumes', named('lasting', { size: 99 }));
  await api.admin.post('/sandboxes', sandboxWith('former', 'lasting'));
  expect((await api.admin.post('/sandboxes', sandboxWith('latter', 'lasting'))).status).toBe(409);
  expect((await api.admin.delete('/sandboxes/former')).status).toBe(200);
  const left = await api.admin.get('/volumes/lasting');
  expect(left.body).toMatchObject({ spec: created.body.spec, state: {}, status: created.body.status });
  expect((await api.admin.post('/sandboxes', sandboxWith('latter', 'lasting'))).status).toBe(200);
});

test('volume.delete: deleting a volume answers with the volume and a terminatedAt of that moment, which no live volume has', async () => {
  const created = await api.admin.post('/volumes', named('going', { size: 7 }));
  const before = Date.now();
  const deleted = await api.admin.delete('/volumes/going');
  const after = Date.now();
  expect(deleted.status).toBe(200);
  expect(deleted.body).toMatchObject({ metadata: { name: 'going' }, spec: created.body.spec });
  const at = Date.parse(deleted.body.terminatedAt);
  expect(new Date(at).toISOString()).toBe(deleted.body.terminatedAt);
  expect(at).toBeGreaterThanOrEqual(before - 1);
  expect(at).toBeLessThanOrEqual(after + 1);
  expect((await api.admin.get('/volumes/going')).status).toBe(404);
  expect((await api.admin.delete('/volumes/going')).status).toBe(404);
  const { data } = (await api.admin.get('/volumes', { query: { limit: 200 } })).body;
  expect(data.length).toBeGreaterThan(0);
  for (const { metadata } of data) {
    expect(metadata.name).not.toBe('going');
    expect((await api.admin.get(`/volumes/${metadata.name}`)).body).not.toHaveProperty('terminatedAt');
  }
  const again = await api.admin.post('/volumes', named('going'));
  expect([again.status, again.body.terminatedAt]).toEqual([200, undefined]);
});
