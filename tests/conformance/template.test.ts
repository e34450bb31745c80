// The deployment template catalogue.
import { operations, versions } from '@berth/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const templates = async () => (await api.admin.get('/templates')).body;

test('template.list: GET /templates answers a bare array of templates on every version', async () => {
  const all = await templates();
  expect(all.length).toBeGreaterThan(0);
  for (const version of [undefined, ...versions.map(({ name }) => name)]) {
    const { status, body } = await api.admin.with({ version }).get('/templates');
    expect([version, status, body]).toEqual([version, 200, all]);
  }
  const parameters = { cursor: 'x', limit: 1, sort: 'name:desc', q: 'zz', anchor: 'end' };
  expect((await api.admin.get('/templates', { query: parameters })).body).toEqual(all);
});

test('template.get: GET of a template by name answers that template and an unknown name answers 404', async () => {
  for (const template of await templates()) {
    const read = await api.admin.get(`/templates/${template.name}`);
    expect([read.status, read.body]).toEqual([200, template]);
  }
  expect((await api.admin.get('/templates/no-such-template')).status).toBe(404);
});

test('template.fields: a template has seven string fields, three integer counts, topics and variables in their types', async () => {
  const all = await templates();
  for (const template of all) {
    expect(Object.keys(template).sort()).toEqual(
      [
        ...['name', 'description', 'defaultBranch', 'sha', 'url', 'icon', 'iconDark'],
        ...['downloadCount', 'forksCount', 'starCount'],
        ...['topics', 'variables'],
      ].sort(),
    );
    for (const field of ['name', 'description', 'defaultBranch', 'sha', 'url', 'icon', 'iconDark'])
      expect(template[field], field).toEqual(expect.any(String));
    for (const field of ['downloadCount', 'forksCount', 'starCount'])
      expect(Number.isInteger(template[field]), field).toBe(true);
    expect(template.topics.length).toBeGreaterThan(0);
    for (const topic of template.topics) expect(topic).toEqual(expect.any(String));
    for (const variable of template.variables)
      expect(variable).toEqual({
        name: expect.any(String),
        description: expect.any(String),
        integration: expect.any(String),
        path: expect.any(String),
        secret: expect.any(Boolean),
      });
  }
  const variables = all.flatMap((template: { variables: unknown[] }) => template.variables);
  expect(variables.length, 'some template asks for something').toBeGreaterThan(0);
});

test('template.read-only: the catalogue has no operation that writes and any attempt leaves it unchanged', async () => {
  const declared = operations.filter(({ path }) => /^\/templates(\/|$)/.test(path)).map(({ method }) => method);
  expect(declared.length).toBeGreaterThan(1);
  expect([...new Set(declared)]).toEqual(['GET']);
  const before = await templates();
  const body = { ...before[0], description: 'Changed' };
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
    for (const path of ['/templates', `/templates/${before[0].name}`, '/templates/new-one'])
      expect([method, path, (await api.admin.send(method, path, { body })).status]).toEqual([method, path, 405]);
  expect(await templates()).toEqual(before);
});
