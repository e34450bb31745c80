import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const register = (name: string, image: string, more: object = {}) =>
  api.admin.post('/images', { resourceType: 'job', name, image, ...more });
const tagNames = (image: { spec: { tags: { name: string }[] } }) => image.spec.tags.map(({ name }) => name);
const counter = async () => {
  const row = await api.database
    .selectFrom('resource_counts')
    .select('live')
    .where('kind', '=', 'image')
    .executeTakeFirst();
  return row?.live ?? 0;
};
const liveImages = async () => (await api.admin.get('/images')).body.length;

describe('register', () => {
  test('every registered reference is one tag, and no status is claimed', async () => {
    const first = await register('report', 'registry.example.com/team/report:v1');
    expect(first.body).toMatchObject({ name: 'report', resourceType: 'job', image: 'job/report:v1' });
    await register('report', 'registry.example.com/team/report:v2');
    await register('report', 'registry.example.com/team/report');
    const { body } = await api.admin.get('/images/job/report');
    expect(tagNames(body)).toEqual(['latest', 'v2', 'v1']);
    expect(body.metadata).toMatchObject({
      name: 'report',
      resourceType: 'job',
      workspace: 'main',
      displayName: 'registry.example.com/team/report',
    });
    expect(body.metadata).not.toHaveProperty('status');
  });

  test('a tag registered again stays one tag', async () => {
    await register('again', 'registry.example.com/a:v1');
    await register('again', 'registry.example.com/b:v1');
    const { body } = await api.admin.get('/images/job/again');
    expect(tagNames(body)).toEqual(['v1']);
    expect(body.metadata.displayName).toBe('registry.example.com/b');
  });

  test('registrations at the same time end as one image with all tags, counted once', async () => {
    const before = await counter();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => register('crowd', `registry.example.com/crowd:v${index}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(tagNames((await api.admin.get('/images/job/crowd')).body)).toHaveLength(6);
    expect((await counter()) - before).toBe(1);
  });

  test('without a reference nothing can be built yet, and uploads are refused', async () => {
    const build = await api.admin.post('/images', { resourceType: 'agent', name: 'built' });
    expect(build.body).toMatchObject({ code: 400, error: 'build_unavailable' });
    const upload = await api.admin.post(
      '/images',
      { resourceType: 'agent', name: 'built', image: 'nginx' },
      { query: { upload: true } },
    );
    expect(upload.body).toMatchObject({ code: 400, error: 'upload_unavailable' });
    expect((await api.admin.get('/images/agent/built')).status).toBe(404);
  });

  test('a reference that is not an outside image is refused', async () => {
    expect((await register('bad', 'not a reference')).body.error).toBe('invalid_reference');
    expect((await register('bad', `${conformanceBrand().short}/node:latest`)).body.error).toBe('not_an_outside_image');
    expect((await register('bad', 'main/job/other:v1')).body.error).toBe('not_an_outside_image');
  });

  test('registry credentials are sealed where they are stored and never shown', async () => {
    await register('private', 'registry.example.com/private:v1', {
      dockerConfig: '{"auths":{"x":{"auth":"aHVudGVy"}}}',
    });
    const shown = await api.admin.get('/images/job/private');
    expect(shown.text).not.toContain('dockerConfig');
    const row = await api.database
      .selectFrom('resources')
      .select('spec')
      .where('kind', '=', 'image')
      .where('name', '=', 'job/private')
      .executeTakeFirstOrThrow();
    expect(row.spec).toMatchObject({ dockerConfig: { $sealed: expect.stringMatching(/^v1\./) } });
    expect(JSON.stringify(row)).not.toContain('aHVudGVy');
  });
});

describe('read', () => {
  test('the underscore stands for any type, a wrong type is 404', async () => {
    await api.admin.post('/images', { resourceType: 'function', name: 'tool', image: 'registry.example.com/tool:v1' });
    expect((await api.admin.get('/images/_/tool')).body.metadata.resourceType).toBe('function');
    expect((await api.admin.get('/images/job/tool')).status).toBe(404);
    expect((await api.admin.get('/images/_/nothing')).status).toBe(404);
  });

  test('the list is an array on every version and holds only the own workspace', async () => {
    await api.addWorkspace('elsewhere');
    for (const version of ['2026-04-16', '2026-04-28']) {
      expect((await api.admin.with({ version }).get('/images')).body).toBeInstanceOf(Array);
      expect((await api.admin.with({ version, workspace: 'elsewhere' }).get('/images')).body).toEqual([]);
    }
    expect((await api.admin.with({ workspace: 'elsewhere' }).get('/images/job/report')).status).toBe(404);
  });
});

describe('delete', () => {
  const makeJob = (name: string, image: string) =>
    api.admin.post('/jobs', { metadata: { name }, spec: { runtime: { image } } });

  test('an image in use is kept, as is the tag in use; other tags go', async () => {
    await register('used', 'registry.example.com/used:v1');
    await register('used', 'registry.example.com/used:v2');
    await makeJob('user', 'job/used:v1');
    const whole = await api.admin.delete('/images/job/used');
    expect(whole.body).toMatchObject({
      code: 400,
      error: 'image_in_use',
      message: expect.stringContaining('job user'),
    });
    expect((await api.admin.delete('/images/job/used/tags/v1')).status).toBe(400);
    expect(tagNames((await api.admin.delete('/images/job/used/tags/v2')).body)).toEqual(['v1']);
    expect((await api.admin.delete('/images/job/used/tags/v2')).status).toBe(404);
    await api.admin.delete('/jobs/user');
    expect((await api.admin.delete('/images/job/used')).status).toBe(200);
    expect((await api.admin.get('/images/job/used')).status).toBe(404);
  });

  test('a kept revision keeps its image', async () => {
    await register('older', 'registry.example.com/older:v1');
    await makeJob('moved', 'job/older:v1');
    await api.admin.put('/jobs/moved', { metadata: {}, spec: { runtime: { image: 'registry.example.com/new:v1' } } });
    expect((await api.admin.delete('/images/job/older')).body.error).toBe('image_in_use');
  });

  test.each([
    ['latest by leaving the tag out', 'job/loose'],
    ['the name of the own workspace in front', 'main/job/loose:latest'],
    ['the name of the own workspace instead of the type', 'main/loose:latest'],
  ])('a workload may name %s, and that counts as use', async (_, image) => {
    await register('loose', 'registry.example.com/loose');
    const name = `loose-${image.length}`;
    await makeJob(name, image);
    expect((await api.admin.delete('/images/job/loose')).body.error).toBe('image_in_use');
    await api.admin.delete(`/jobs/${name}`);
  });

  test('deleting unused tags keeps the used tags and returns the right count', async () => {
    await register('keep', 'registry.example.com/keep:v1');
    await register('drop', 'registry.example.com/drop:v1');
    await makeJob('keeper', 'job/keep:v1');
    const before = await liveImages();
    const { body } = await api.admin.delete('/images');
    expect(body.deleted).toBeGreaterThan(0);
    expect(await liveImages()).toBe(before - body.deleted);
    expect(await counter()).toBe(await liveImages());
    const { resourceCounts } = (await api.admin.get('/workspaces/main', { query: { countResources: true } })).body;
    expect(resourceCounts.images).toBe(await liveImages());
    expect((await api.admin.get('/images/job/keep')).status).toBe(200);
    expect((await api.admin.get('/images/job/drop')).status).toBe(404);
    expect((await api.admin.delete('/images')).body.deleted).toBe(0);
  });

  test('a missing image is 404', async () => {
    expect((await api.admin.delete('/images/job/nothing')).status).toBe(404);
    expect((await api.admin.delete('/images/job/nothing/tags/v1')).status).toBe(404);
  });
});
