// Behaviour versions.
import { headerNames, kinds, operations } from '@berth/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conformanceBrand } from '../harness/conformance-brand.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { bodyFor, completeConfig, samples } from './support/samples.ts';

const header = headerNames(conformanceBrand()).version;
const first = '2026-04-16';
const known = [first, '2026-04-20', '2026-04-28'];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: completeConfig, clickhouse: 'own' });
  for (const name of ['alpha', 'beta', 'gamma']) await api.admin.post('/drives', bodyFor(samples.drive, name));
});
afterAll(() => api[Symbol.asyncDispose]());

const at = (version: string | undefined) => api.admin.with({ version });
/** Removes the time of a key's last use, which changes between two requests. */
/** Without times of the request itself. */
const withoutUse = (text = '') => text.replaceAll(/"(?:lastUsedAt|after)":"[^"]+"/g, '');
const list = (version: string | undefined, path = '/drives') => at(version).get(path);

test('version.header: the version named in Service-Version decides the behaviour of that request', async () => {
  const unsaid = api.admin.with({ version: undefined });
  const old = await unsaid.get('/drives', { headers: { [header]: first } });
  const current = await unsaid.get('/drives', { headers: { [header]: '2026-04-28' } });
  expect(Array.isArray(old.body)).toBe(true);
  expect(current.body).toEqual({ data: old.body, meta: { hasMore: false, nextCursor: '', total: 3 } });
  // The next request of the same caller may name another version.
  expect((await unsaid.get('/drives', { headers: { [header.toLowerCase()]: first } })).body).toEqual(old.body);
});

test('version.default: a request without the header behaves as 2026-04-16', async () => {
  expect((await list(undefined)).body).toEqual((await list(first)).body);
  expect((await list(undefined)).body).toBeInstanceOf(Array);
  const filtered = { query: { q: 'alpha', sort: 'name:asc', limit: 1 } };
  expect((await at(undefined).get('/drives', filtered)).body).toEqual((await list(first)).body);
  expect((await list('2026-04-28')).body).not.toBeInstanceOf(Array);
});

test('version.known: 2026-04-16, 2026-04-20 and 2026-04-28 are accepted and 2026-04-20 behaves as the first', async () => {
  const fixed = operations.filter(
    ({ base, method, path }) => base !== 'api_url' && method === 'GET' && !path.includes('{'),
  );
  for (const { path } of fixed) {
    const answers = await Promise.all(known.map((version) => list(version, path)));
    expect([path, ...answers.map(({ status }) => status)]).toEqual([path, 200, 200, 200]);
    expect(withoutUse(answers[1]?.text), path).toBe(withoutUse(answers[0]?.text));
  }
  const created = await Promise.all(
    known.map((version) => at(version).post('/jobs', bodyFor(samples.job, `made-${version.slice(-2)}`))),
  );
  expect(created.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('version.unknown: an unknown version answers 400 with error invalid_api_version and a message that lists the valid versions', async () => {
  for (const version of ['2026-04-27', '2026-04-29', '1999-01-01', '2027-01-01', 'latest', 'v0', '0']) {
    for (const client of [at(version), at(version).with({ key: undefined })]) {
      const { status, body } = await client.get('/drives');
      expect([version, status, Object.keys(body).sort()]).toEqual([version, 400, ['error', 'message']]);
      expect(body.error).toBe('invalid_api_version');
      for (const name of known) expect(body.message).toContain(name);
    }
  }
  const write = await at('2026-04-27').post('/drives', bodyFor(samples.drive, 'never'));
  expect([write.status, write.body.error]).toEqual([400, 'invalid_api_version']);
  expect((await api.admin.get('/drives/never')).status).toBe(404);
});

test('version.format: a date and a date with .preview are both read as versions, anything else is no version, and an unlisted preview answers 400', async () => {
  const refusal = async (version: string) => {
    const { status, body } = await list(version);
    return [status, body.error, body.message];
  };
  const notServed = [400, 'invalid_api_version', expect.stringContaining('is not served')];
  const noVersion = [400, 'invalid_api_version', expect.stringContaining('YYYY-MM-DD.preview')];
  for (const version of ['2026-04-21', '2026-04-28.preview', `${first}.preview`, '2026-05-01.preview'])
    expect(await refusal(version), version).toEqual(notServed);
  for (const version of [
    '20260428',
    '2026-4-28',
    '2026-04-28.beta',
    '2026-04-28.previews',
    '2026-04-28,2026-04-16',
    'x',
  ])
    expect(await refusal(version), version).toEqual(noVersion);
});

test('version.list-shape: every paginated kind lists as data and meta from 2026-04-28 and as a bare array before', async () => {
  const made = Object.values(samples).filter(({ title }) => !title.startsWith('Egress'));
  for (const sample of made) await api.admin.post(sample.path, bodyFor(sample, 'listed'));
  await api.admin.post('/jobs/listed/executions', { tasks: [{}] });
  const paged = kinds.filter(({ listing }) => listing.paged).map(({ path }) => path);
  expect(paged).toEqual(
    expect.arrayContaining([
      '/agents',
      '/drives',
      '/functions',
      '/jobs',
      '/models',
      '/policies',
      '/sandboxes',
      '/volumes',
    ]),
  );
  for (const path of [...paged, '/jobs/listed/executions']) {
    const [current, middle, old] = [
      await list('2026-04-28', path),
      await list('2026-04-20', path),
      await list(first, path),
    ];
    expect(Object.keys(current.body).sort(), path).toEqual(['data', 'meta']);
    expect(current.body.meta, path).toEqual({ hasMore: false, nextCursor: '', total: current.body.data.length });
    expect(old.body, path).toEqual(current.body.data);
    expect(middle.body, path).toEqual(old.body);
  }
  const bare = kinds.filter(({ listing, parents }) => !listing.paged && parents === undefined).map(({ path }) => path);
  for (const path of bare) expect((await list('2026-04-28', path)).body, path).toEqual((await list(first, path)).body);
});
