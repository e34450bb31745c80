// Images that a workload may name, and how the name is resolved. Attacks: ids of images present on a machine, names of
// this service that another party owns at the default registry, private addresses, and the operator's list.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
let listing: TestApi;
beforeAll(async () => {
  const placement = { sandboxes: { defaultImage: 'example/sandbox:1' } };
  const allowedRegistries = ['registry.example', '127.0.0.1:5000'];
  [api, listing] = await Promise.all([
    startTestApi({ placement }),
    startTestApi({ placement, config: { allowedRegistries } }),
  ]);
  await api.addWorkspace('elsewhere');
});
afterAll(() => Promise.all([api, listing].map((each) => each[Symbol.asyncDispose]())));

let count = 0;
/** Status and error of creating a workload with this image. */
async function create(path: string, image: string, client = api.admin): Promise<unknown[]> {
  count += 1;
  const spec = path === 'applications' ? { image } : { runtime: { image } };
  const { status, body } = await client.post(`/${path}`, { metadata: { name: `w-${count}` }, spec });
  // Creating a sandbox has its own error format.
  return status === 200 ? [200] : [status, path === 'sandboxes' ? body.code.toLowerCase() : body.error];
}
const register = (name: string, image: string, client = api.admin) =>
  client.post('/images', { resourceType: 'agent', name, image });

describe.for(['agents', 'functions', 'jobs', 'sandboxes', 'applications'])('%s', (path) => {
  test.for([
    `sha256:${'a'.repeat(64)}`,
    'sha256:abcdef012345',
    'a'.repeat(64),
    '../containers/json',
    'registry.example/a/../b',
    'nginx?platform=x',
    'Nginx',
    `registry.example/${'a'.repeat(300)}`,
  ])('an image id or a text that is no reference is refused: %s', async (image) => {
    expect(await create(path, image)).toEqual([400, 'invalid_image']);
  });

  test('a name of this service that the workspace has not registered is refused, not looked for at the default registry', async () => {
    await register('theirs', 'registry.example/theirs:1', api.admin.with({ workspace: 'elsewhere' }));
    for (const image of [
      'agent/theirs:1',
      'app/x',
      'function/x:1',
      'job/x:1',
      'sandbox/x:1',
      'main/x:1',
      'main/job/x:1',
    ])
      expect(await create(path, image)).toEqual([400, 'image_not_registered']);
    expect(await create(path, 'service/base-image:latest')).toEqual([400, 'no_hub_registry']);
  });

  test('a registered name is accepted in its workspace, by its tag alone', async () => {
    const { body } = await register('mine', 'registry.example/mine:1');
    expect(body.image).toBe('agent/mine:1');
    for (const image of ['agent/mine:1', 'main/agent/mine:1', 'main/mine:1'])
      expect(await create(path, image)).toEqual([200]);
    expect(await create(path, 'agent/mine:2')).toEqual([400, 'image_not_registered']);
  });

  test('a private address or name is refused as a registry', async () => {
    for (const image of ['10.0.0.5:5000/x', '127.0.0.1:9070/x', 'localhost:5000/x', 'postgres:5432/x', '127.1/x'])
      expect(await create(path, image)).toEqual([400, 'registry_not_public']);
  });

  test('the operator’s list holds whatever the name begins with', async () => {
    const { admin } = listing;
    for (const image of ['registry.example/x', '127.0.0.1:5000/x'])
      expect(await create(path, image, admin)).toEqual([200]);
    for (const image of ['evil.example/x', 'nginx', '127.0.0.1:5001/x'])
      expect(await create(path, image, admin)).toEqual([400, 'registry_not_allowed']);
    expect(await create(path, 'agent/x:1', admin)).toEqual([400, 'image_not_registered']);
  });
});

test('an image that a workload may not name cannot be registered either', async () => {
  const error = async (image: string, { admin }: TestApi) => (await register('no', image, admin)).body.error;
  expect(await error('10.0.0.5:5000/x:1', api)).toBe('registry_not_public');
  expect(await error('evil.example/x:1', listing)).toBe('registry_not_allowed');
  expect(await error('agent/other:1', api)).toBe('not_an_outside_image');
  expect(await error(`sha256:${'a'.repeat(64)}`, api)).toBe('invalid_reference');
});

test('a refusal names the next step', async () => {
  const { body } = await api.admin.post('/agents', {
    metadata: { name: 'a' },
    spec: { runtime: { image: 'agent/x:1' } },
  });
  expect(body.message).toMatch(/spec\.runtime\.image names agent\/x:1.*POST \/images/);
});
