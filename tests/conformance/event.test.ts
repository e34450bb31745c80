// The event history of resources.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { addExit, bodyFor, completeConfig, type Sample, samples } from './support/samples.ts';

const all: readonly Sample[] = [samples.drive, samples.volume, samples.job, samples.egressIp];

interface Event {
  readonly [field: string]: unknown;
}

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: completeConfig });
  await addExit(api.admin);
});
afterAll(() => api[Symbol.asyncDispose]());

const read = async (path: string) => (await api.admin.get(path)).body;

test('event.carried: a drive, a volume, a job and an egress IP carry an events array from their creation on', async () => {
  for (const sample of all) {
    const created = await api.admin.post(sample.path, bodyFor(sample, 'eventful'));
    expect(created.body.events[0], sample.title).toMatchObject({ type: 'deployment' });
    const { events } = await read(`${sample.path}/eventful`);
    expect(events, sample.title).toEqual(created.body.events);
    expect(Math.abs(Date.parse(events[0].time) - Date.parse(created.body.metadata.createdAt))).toBeLessThan(5_000);
  }
});

test('event.fields: every event has only the six named fields and each is a string', async () => {
  await api.admin.post('/volumes', bodyFor(samples.volume, 'held'));
  const volumes = [{ name: 'held', mountPath: '/data' }];
  const { metadata, spec } = bodyFor(samples.sandbox, 'holder');
  await api.admin.post('/sandboxes', { metadata, spec: { ...spec, region: 'one', volumes } });
  const { metadata: jobMetadata } = bodyFor(samples.job, 'revised');
  await api.admin.post('/jobs', bodyFor(samples.job, 'revised'));
  await api.admin.put('/jobs/revised', {
    metadata: jobMetadata,
    spec: { runtime: { image: 'registry.example/library/busybox:2' } },
  });
  await api.admin.put('/jobs/revised', { metadata: jobMetadata, spec: { enabled: false } });
  for (const sample of [...all, samples.agent]) await api.admin.post(sample.path, bodyFor(sample, 'told'));
  const resources = [
    await read('/volumes/held'),
    await read('/sandboxes/holder'),
    await read('/jobs/revised'),
    ...(await Promise.all([...all, samples.agent].map(({ path }) => read(`${path}/told`)))),
  ];
  const events: Event[] = resources.flatMap((resource) => resource.events);
  expect(events.length).toBeGreaterThan(9);
  const named = ['canaryRevision', 'message', 'revision', 'status', 'time', 'type'];
  for (const event of events) {
    expect(Object.keys(event).filter((field) => !named.includes(field))).toEqual([]);
    for (const value of Object.values(event)) expect(value).toEqual(expect.any(String));
    expect(event).toMatchObject({ time: expect.any(String), type: expect.any(String), message: expect.any(String) });
  }
  expect(events.some(({ revision }) => revision !== undefined)).toBe(true);
});

test('event.read-only: events sent in a body are not stored', async () => {
  const events = [{ time: '2001-01-01T00:00:00Z', type: 'deployment', status: 'FAILED', message: 'Invented.' }];
  for (const sample of all) {
    const created = await api.admin.post(sample.path, { ...bodyFor(sample, 'quiet'), events });
    expect([sample.title, created.status]).toEqual([sample.title, 200]);
    expect(JSON.stringify(created.body.events), sample.title).not.toContain('Invented');
    expect(created.body.status, sample.title).not.toBe('FAILED');
    if (sample !== samples.egressIp) {
      const body = { ...bodyFor(sample, 'quiet', { displayName: 'Changed' }), events };
      expect([sample.title, (await api.admin.put(`${sample.path}/quiet`, body)).status]).toEqual([sample.title, 200]);
    }
    const after = await read(`${sample.path}/quiet`);
    expect(after.events, sample.title).toEqual(created.body.events);
    expect(after.status, sample.title).toBe(created.body.status);
  }
});

/** The status of a resource is that of the newest event with a status. */
const fold = (events: readonly Event[]): unknown => events.findLast(({ status }) => status !== undefined)?.status;

test('event.status-fold: the status of a drive and of a volume always equals the fold of its events', async () => {
  const seen: string[] = [];
  const check = ({ status, events }: { status: string; events: Event[] }) => {
    expect(status).toBe(fold(events));
    seen.push(`${status} after ${events.length}`);
  };
  for (const sample of [samples.drive, samples.volume]) {
    const path = `${sample.path}/folded`;
    check((await api.admin.post(sample.path, bodyFor(sample, 'folded'))).body);
    check((await api.admin.put(path, bodyFor(sample, 'folded', { displayName: 'Changed' }))).body);
    check(await read(path));
    const listed = (await api.admin.get(sample.path, { query: { q: 'folded' } })).body.data;
    expect(listed).toMatchObject([{ status: fold((await read(path)).events) }]);
  }
  const volumes = [{ name: 'folded', mountPath: '/data' }];
  const { metadata, spec } = bodyFor(samples.sandbox, 'folder');
  await api.admin.post('/sandboxes', { metadata, spec: { ...spec, region: 'one', volumes } });
  check(await read('/volumes/folded'));
  await api.admin.delete('/sandboxes/folder');
  check(await read('/volumes/folded'));
  check((await api.admin.delete('/volumes/folded')).body);
  expect(seen.at(-1)).toMatch(/^DELETING after/);
  expect(new Set(seen).size).toBeGreaterThan(3);
});
