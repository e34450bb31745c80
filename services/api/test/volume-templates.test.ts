import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: { limits: { volume_template_versions: 3 } } });
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const put = (name: string, version?: string, spec: object = {}) =>
  api.admin.put(`/volume_templates/${name}`, named(name, spec), { query: version === undefined ? {} : { version } });
const drop = (name: string, version: string) => api.admin.delete(`/volume_templates/${name}/versions/${version}`);

test('PUT creates a template when there is none and changes it afterwards', async () => {
  const created = await put('content', undefined, { defaultSize: 512 });
  expect(created.body).toMatchObject({
    spec: { defaultSize: 512 },
    state: { status: 'created', versionCount: 0 },
    versions: [],
  });
  const changed = await put('content', undefined, { description: 'Words' });
  expect(changed.body.spec).toEqual({ defaultSize: 512, description: 'Words' });
});

test('a named version is recorded once, and is never ready before its content is stored', async () => {
  await put('versioned', '1');
  const { body } = await put('versioned', '2');
  expect(body.state).toEqual({ status: 'created', versionCount: 2, latestVersion: '2' });
  expect(body.versions).toMatchObject([
    { name: '1', status: 'CREATED', templateName: 'versioned', workspace: 'main' },
    { name: '2', status: 'CREATED' },
  ]);
  expect((await put('versioned', '1')).body.versions).toEqual(body.versions);
  expect((await api.admin.get('/volume_templates/versioned')).body.versions).toEqual(body.versions);
});

test('versions of one template are bounded by the limit', async () => {
  expect((await put('versioned', '3')).status).toBe(200);
  const refused = await put('versioned', '4');
  expect([refused.status, refused.body.error]).toEqual([403, 'quota_exceeded']);
});

test('a version can be deleted unless it is the only one', async () => {
  const deleted = await drop('versioned', '3');
  expect(deleted.body).toMatchObject({
    message: 'The version 3 of versioned is deleted.',
    template: { state: { versionCount: 2, latestVersion: '2' } },
  });
  expect((await drop('versioned', '3')).status).toBe(404);
  expect((await drop('none', '1')).status).toBe(404);
  await drop('versioned', '1');
  const last = await drop('versioned', '2');
  expect([last.status, last.body.error]).toEqual([400, 'only_version']);
});

test('volumes outlive the template they came from', async () => {
  await api.admin.post('/volumes', named('made', { template: 'versioned:2' }));
  expect((await api.admin.delete('/volume_templates/versioned')).status).toBe(200);
  expect((await api.admin.get('/volumes/made')).body.spec.template).toBe('versioned:2');
});
