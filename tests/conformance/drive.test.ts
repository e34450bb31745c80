// Drives. Specification: Drive; Management endpoints. The listing has its own file.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: { regions: [{ name: 'one' }, { name: 'two' }] } });
});
afterAll(() => api[Symbol.asyncDispose]());

const drive = (name: string, spec: object = { region: 'one', size: 5 }) => ({ metadata: { name }, spec });
const text = expect.any(String);

test('drive.fields: a drive returns metadata, spec with region, size and infrastructureId, events, state and status in their types', async () => {
  const metadata = { name: 'whole', displayName: 'Whole', labels: { team: 'blue' } };
  const created = await api.admin.post('/drives', { metadata, spec: { region: 'two', size: 7 } });
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
    spec: { region: 'two', size: 7, infrastructureId: expect.stringMatching(/./) },
    events: [expect.objectContaining({ type: text, time: text })],
    state: {},
    status: text,
  });
  expect((await api.admin.get('/drives/whole')).body).toEqual(created.body);
  expect((await api.admin.get('/drives')).body.data).toEqual([created.body]);
  for (const spec of [{ region: 7 }, { size: '7' }, { size: 1.5 }, { size: -1 }])
    expect((await api.admin.post('/drives', drive('odd', spec))).status, JSON.stringify(spec)).toBe(400);
});

test('drive.required: a drive without metadata or without spec is refused with 400', async () => {
  const { metadata, spec } = drive('part');
  for (const body of [{ metadata }, { spec }, {}, { metadata: null, spec }, { metadata, spec: null }, undefined]) {
    expect((await api.admin.post('/drives', body)).status, `POST ${JSON.stringify(body)}`).toBe(400);
    expect((await api.admin.put('/drives/part', body)).status, `PUT ${JSON.stringify(body)}`).toBe(400);
  }
  expect((await api.admin.get('/drives/part')).status).toBe(404);
  await api.admin.post('/drives', drive('there'));
  expect((await api.admin.put('/drives/there', { metadata: { displayName: 'x' } })).status).toBe(400);
  expect((await api.admin.put('/drives/there', { spec: {} })).status).toBe(400);
});

test('drive.put: PUT creates an absent drive, changes displayName and labels of an existing one, and answers with the drive', async () => {
  const sent = {
    metadata: { name: 'put', displayName: 'First', labels: { a: '1', b: '2' } },
    spec: { region: 'one', size: 3 },
  };
  const created = await api.admin.put('/drives/put', sent);
  expect(created.status).toBe(200);
  expect(created.body).toMatchObject(sent);
  expect((await api.admin.get('/drives/put')).body).toEqual(created.body);
  const changed = await api.admin.put('/drives/put', {
    metadata: { name: 'put', displayName: 'Second', labels: { c: '3' } },
    spec: { region: 'one', size: 3 },
  });
  expect(changed.status).toBe(200);
  expect(changed.body.metadata).toMatchObject({ displayName: 'Second', createdAt: created.body.metadata.createdAt });
  expect(changed.body.metadata.labels).toEqual({ c: '3' });
  expect(changed.body.spec).toEqual(created.body.spec);
  expect((await api.admin.get('/drives/put')).body).toEqual(changed.body);
  expect((await api.admin.put('/drives/put', drive('other', {}))).status).toBe(400);
  expect((await api.admin.get('/drives/other')).status).toBe(404);
});

test('drive.immutable-spec: changing region or size of a drive is refused with a 400 that names the field, and sending them unchanged is accepted', async () => {
  const created = await api.admin.post('/drives', drive('fixed', { region: 'one', size: 5 }));
  for (const [field, value] of Object.entries({ region: 'two', size: 6 })) {
    const { spec } = drive('fixed');
    const refused = await api.admin.put('/drives/fixed', drive('fixed', { ...spec, [field]: value }));
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining(`spec.${field}`)]);
  }
  const same = await api.admin.put('/drives/fixed', drive('fixed', { region: 'one', size: 5 }));
  expect([same.status, same.body.spec]).toEqual([200, created.body.spec]);
  const whole = await api.admin.put('/drives/fixed', created.body);
  expect([whole.status, whole.body.spec]).toEqual([200, created.body.spec]);
  // A field that was never set cannot be set later either.
  await api.admin.post('/drives', drive('endless', {}));
  const sized = await api.admin.put('/drives/endless', drive('endless', { size: 1 }));
  expect([sized.status, sized.body.message]).toEqual([400, expect.stringContaining('spec.size')]);
  expect((await api.admin.get('/drives/fixed')).body.spec).toEqual(created.body.spec);
});

test('drive.read-only: events, state, status and infrastructureId sent in a body are ignored', async () => {
  const claims = {
    events: [{ type: 'deployment', status: 'DEPLOYED', message: 'Mine.' }],
    state: { s3Url: 's3://mine' },
    status: 'DEPLOYED',
  };
  const spec = { size: 5, infrastructureId: 'mine' };
  const created = await api.admin.post('/drives', { ...drive('honest', spec), ...claims });
  const changed = await api.admin.put('/drives/honest', { ...drive('honest', spec), ...claims });
  const upserted = await api.admin.put('/drives/upserted', { ...drive('upserted', spec), ...claims });
  for (const { status, body, text: raw } of [created, changed, upserted]) {
    expect(status).toBe(200);
    expect(raw.toLowerCase()).not.toContain('mine');
    expect(body).toMatchObject({ state: {}, status: 'DEPLOYING', events: [{ status: 'DEPLOYING' }] });
  }
  expect(changed.body.spec.infrastructureId).toBe(created.body.spec.infrastructureId);
  expect(upserted.body.spec.infrastructureId).not.toBe(created.body.spec.infrastructureId);
  expect((await api.admin.get('/drives/honest')).body).toEqual(changed.body);
});

test('drive.waits-for-storage: a new drive is DEPLOYING, its event says that it waits for storage, and it shows no s3Url', async () => {
  for (const answer of [
    await api.admin.post('/drives', drive('waiting')),
    await api.admin.put('/drives/waiting-too', drive('waiting-too')),
    await api.admin.get('/drives/waiting'),
  ]) {
    expect(answer.body.status).toBe('DEPLOYING');
    expect(answer.body.events).toHaveLength(1);
    expect(answer.body.events[0]).toMatchObject({ status: 'DEPLOYING', message: expect.stringMatching(/storage/) });
    expect(answer.body.state).toEqual({});
  }
});
