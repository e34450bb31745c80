// The metadata fields that drive, volume, job and egress IP share.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { addExit, bodyFor, completeConfig, exit, gatewayPath, type Sample, samples } from './support/samples.ts';

const changeable: readonly Sample[] = [samples.drive, samples.volume, samples.job];
const all: readonly Sample[] = [...changeable, samples.egressIp];
const tier = 'tier_2';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: completeConfig, tier });
  await addExit(api.admin);
});
afterAll(() => api[Symbol.asyncDispose]());

const create = (sample: Sample, name: string, metadata: object = {}) =>
  api.admin.post(sample.path, bodyFor(sample, name, metadata));
const read = async (sample: Sample, name: string) => (await api.admin.get(`${sample.path}/${name}`)).body.metadata;

test('metadata.name-required: creating a drive, volume, job or egress IP without metadata.name is refused with 400', async () => {
  for (const { title, path, spec } of all) {
    for (const metadata of [{}, { displayName: 'Nameless' }, { name: '' }, { name: null }, { name: 7 }]) {
      const { status, body } = await api.admin.post(path, { metadata, spec });
      expect([title, metadata, status, body.message]).toEqual([
        title,
        metadata,
        400,
        expect.stringContaining('metadata.name'),
      ]);
    }
  }
});

test('metadata.name-unique: a name is taken once per kind and scope, a second create answers 409, and another workspace may use it', async () => {
  await api.addWorkspace('next-door');
  const nextDoor = api.admin.with({ workspace: 'next-door' });
  await addExit(nextDoor);
  for (const sample of all) {
    const body = bodyFor(sample, 'only-one');
    const first = await api.admin.post(sample.path, body);
    const second = await api.admin.post(sample.path, body);
    expect([sample.title, first.status, second.status]).toEqual([sample.title, 200, 409]);
    expect(second.body.message).toContain('only-one');
    expect([sample.title, (await nextDoor.post(sample.path, body)).status]).toEqual([sample.title, 200]);
    const again = (await api.admin.get(`${sample.path}/only-one`)).body;
    expect(again, sample.title).toEqual(first.body);
    expect((await api.admin.delete(`${sample.path}/only-one`)).status).toBe(200);
    expect([sample.title, (await api.admin.post(sample.path, body)).status]).toEqual([sample.title, 200]);
  }
  // Names of egress IPs are unique per gateway.
  await api.admin.post(gatewayPath, bodyFor(samples.egressGateway, 'second-exit'));
  const elsewhere = await api.admin.post(
    samples.egressIp.path.replace(`/${exit}/`, '/second-exit/'),
    bodyFor(samples.egressIp, 'only-one'),
  );
  expect(elsewhere.status).toBe(200);
});

test('metadata.display-name: displayName is free text that comes back as it was sent and can be changed', async () => {
  const texts = ['My first one', ' Ünïcode & <signs> "quoted" – 日本 🙂 ', "Robert'); drop table resources;--"];
  for (const sample of all) {
    for (const [index, displayName] of texts.entries()) {
      const created = await create(sample, `shown-${index}`, { displayName });
      expect([sample.title, created.body.metadata.displayName]).toEqual([sample.title, displayName]);
      expect((await read(sample, `shown-${index}`)).displayName).toBe(displayName);
    }
    expect((await create(sample, 'shown-plain')).body.metadata).not.toHaveProperty('displayName');
    expect((await create(sample, 'shown-bad', { displayName: 7 })).status).toBe(400);
  }
  for (const sample of changeable) {
    const changed = await api.admin.put(
      `${sample.path}/shown-0`,
      bodyFor(sample, 'shown-0', { displayName: 'Another' }),
    );
    expect([sample.title, changed.body.metadata.displayName]).toEqual([sample.title, 'Another']);
    expect((await read(sample, 'shown-0')).displayName).toBe('Another');
  }
});

test('metadata.labels: labels map strings to strings, come back as sent, and a value that is not a string is refused', async () => {
  const labels = { team: 'blue', 'example.com/cost centre': '42', Größe: 'schön', empty: '', constructor: 'x' };
  for (const sample of all) {
    const created = await create(sample, 'labelled', { labels });
    expect([sample.title, created.body.metadata.labels]).toEqual([sample.title, labels]);
    expect((await read(sample, 'labelled')).labels).toEqual(labels);
    for (const value of [7, true, null, ['a'], { deep: 'x' }]) {
      const refused = await create(sample, 'mislabelled', { labels: { good: 'yes', bad: value } });
      expect([sample.title, value, refused.status]).toEqual([sample.title, value, 400]);
    }
    for (const wrong of ['team=blue', ['team'], 7])
      expect((await create(sample, 'mislabelled', { labels: wrong })).status).toBe(400);
    expect((await api.admin.get(`${sample.path}/mislabelled`)).status).toBe(404);
  }
  for (const sample of changeable) {
    const path = `${sample.path}/labelled`;
    const changed = await api.admin.put(path, bodyFor(sample, 'labelled', { labels: { team: 'red' } }));
    expect([sample.title, changed.body.metadata.labels]).toEqual([sample.title, { team: 'red' }]);
  }
});

test('metadata.times: createdAt is set once and updatedAt moves with every change', async () => {
  for (const sample of all) {
    const before = Date.now();
    const { createdAt, updatedAt } = (await create(sample, 'dated')).body.metadata;
    expect([sample.title, updatedAt]).toEqual([sample.title, createdAt]);
    expect(Math.abs(Date.parse(createdAt) - before)).toBeLessThan(10_000);
    expect(await read(sample, 'dated')).toMatchObject({ createdAt, updatedAt });
    if (sample === samples.egressIp) continue;
    let last = Date.parse(updatedAt);
    for (const displayName of ['Once', 'Twice']) {
      await api.admin.put(`${sample.path}/dated`, bodyFor(sample, 'dated', { displayName }));
      const now = await read(sample, 'dated');
      expect([sample.title, now.createdAt]).toEqual([sample.title, createdAt]);
      expect(Date.parse(now.updatedAt), sample.title).toBeGreaterThan(last);
      last = Date.parse(now.updatedAt);
    }
  }
});

test('metadata.owners: createdBy and updatedBy name the user or the service account that acted', async () => {
  const user = await api.user({ memberOf: api.workspace, role: 'admin' });
  const robot = (await api.admin.post('/service_accounts', { name: 'robot', role: 'admin' })).body.client_id;
  const { apiKey } = (await api.admin.post(`/service_accounts/${robot}/api_keys`, {})).body;
  const asRobot = api.admin.with({ key: apiKey });
  for (const sample of all) {
    const byUser = await user.client.post(sample.path, bodyFor(sample, 'by-user'));
    expect(byUser.body.metadata, sample.title).toMatchObject({ createdBy: user.id, updatedBy: user.id });
    const byRobot = await asRobot.post(sample.path, bodyFor(sample, 'by-robot'));
    expect(byRobot.body.metadata, sample.title).toMatchObject({ createdBy: robot, updatedBy: robot });
  }
  for (const sample of changeable) {
    await asRobot.put(`${sample.path}/by-user`, bodyFor(sample, 'by-user', { displayName: 'Touched' }));
    expect(await read(sample, 'by-user'), sample.title).toMatchObject({ createdBy: user.id, updatedBy: robot });
    await user.client.put(`${sample.path}/by-robot`, bodyFor(sample, 'by-robot', { displayName: 'Touched' }));
    expect(await read(sample, 'by-robot'), sample.title).toMatchObject({ createdBy: robot, updatedBy: user.id });
  }
});

test('metadata.plan: a drive, a volume and a job return in plan the tier of their account', async () => {
  const { subscription } = (await api.admin.get(`/accounts/${api.accountId}`)).body.spec;
  expect(subscription.tier).toBe(tier);
  for (const sample of changeable) {
    expect([sample.title, (await create(sample, 'planned')).body.metadata.plan]).toEqual([sample.title, tier]);
    expect((await read(sample, 'planned')).plan).toBe(tier);
  }
});

test('metadata.url: a drive, a volume and a job return their address in url', async () => {
  for (const sample of changeable) await create(sample, 'addressed');
  expect((await read(samples.drive, 'addressed')).url).toBe(`${api.url}/v0/drives/addressed`);
  expect((await read(samples.volume, 'addressed')).url).toBe(`${api.url}/v0/volumes/addressed`);
  const { url } = await read(samples.job, 'addressed');
  expect(url).toBe(`${api.url}/${api.workspace}/jobs/addressed/executions`);
  // The addresses work: the first two read the resource, the last one starts an execution.
  for (const path of ['/drives/addressed', '/volumes/addressed']) {
    const found = await fetch(`${api.url}/v0${path}?workspace=${api.workspace}`, {
      headers: { authorization: `Bearer ${api.adminKey}` },
    });
    expect([path, found.status]).toEqual([path, 200]);
  }
  const started = await api.admin.post(`/${new URL(url).pathname}`, { tasks: [{}] });
  expect(started.body).toMatchObject({ jobId: 'addressed' });
});

test('metadata.workspace: workspace is the name of the selected workspace whatever the body says', async () => {
  for (const sample of all) {
    const created = await create(sample, 'housed', { workspace: 'somewhere-else' });
    expect([sample.title, created.status, created.body.metadata.workspace]).toEqual([sample.title, 200, api.workspace]);
    expect((await read(sample, 'housed')).workspace).toBe(api.workspace);
  }
  for (const sample of changeable) {
    const body = bodyFor(sample, 'housed', { workspace: 'somewhere-else' });
    const changed = await api.admin.put(`${sample.path}/housed`, body);
    expect([sample.title, changed.status, changed.body.metadata.workspace]).toEqual([sample.title, 200, api.workspace]);
  }
});

test('metadata.read-only: times, owners, plan, url and workspace sent in a body change nothing', async () => {
  const invented = {
    createdAt: '2001-01-01T00:00:00.000Z',
    updatedAt: '2001-01-01T00:00:00.000Z',
    createdBy: 'somebody',
    updatedBy: 'somebody',
    plan: 'tier_0',
    url: 'https://example.com',
    workspace: 'somewhere-else',
  };
  for (const sample of all) {
    const { status, body } = await create(sample, 'claimed', invented);
    expect([sample.title, status]).toEqual([sample.title, 200]);
    const { createdAt, updatedAt, ...claimed } = body.metadata;
    for (const time of [createdAt, updatedAt]) expect(Date.parse(time)).toBeGreaterThan(Date.parse('2020-01-01'));
    // The metadata equals that of another resource that differs only in its name, so the invented values had no effect.
    const { createdAt: _created, updatedAt: _updated, ...plain } = (await create(sample, 'another')).body.metadata;
    expect(claimed, sample.title).toEqual(JSON.parse(JSON.stringify(plain).replaceAll('another', 'claimed')));
  }
  for (const sample of changeable) {
    const before = await read(sample, 'claimed');
    const body = bodyFor(sample, 'claimed', { ...invented, displayName: 'Claimed' });
    expect([sample.title, (await api.admin.put(`${sample.path}/claimed`, body)).status]).toEqual([sample.title, 200]);
    const { updatedAt, displayName, ...after } = await read(sample, 'claimed');
    const { updatedAt: earlier, ...rest } = before;
    expect(after, sample.title).toEqual(rest);
    expect([displayName, Date.parse(updatedAt) >= Date.parse(earlier)]).toEqual(['Claimed', true]);
  }
});
