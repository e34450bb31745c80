import { uuidv7 } from '@berth/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    config: {
      regions: [
        { name: 'eu-1', continent: 'EU', country: 'NO', location: 'Oslo', egressPools: ['203.0.113.0/24'] },
        { name: 'eu-2', continent: 'EU', country: 'IT' },
        { name: 'lab' },
      ],
      features: { 'new-console': true, 'old-console': false },
    },
  });
});
afterAll(() => api[Symbol.asyncDispose]());

describe('locations', () => {
  test('every region is listed, and none is called healthy while no runner is registered', async () => {
    const { body } = await api.admin.get('/locations');
    expect(body).toEqual([
      {
        region: 'eu-1',
        continent: 'EU',
        country: 'NO',
        location: 'Oslo',
        flavors: [{ name: 'x86', type: 'cpu' }],
        status: 'no_runner',
        isolation: 'No runner is registered, so how workloads are isolated is not known.',
      },
      expect.objectContaining({ region: 'eu-2', status: 'no_runner' }),
      {
        region: 'lab',
        flavors: [{ name: 'x86', type: 'cpu' }],
        status: 'no_runner',
        isolation: expect.stringContaining('not known'),
      },
    ]);
  });

  test('the configuration offers what exists and nothing more', async () => {
    const { body } = await api.admin.get('/configuration');
    expect(body.regions.map(({ name }: { name: string }) => name)).toEqual(['eu-1', 'eu-2', 'lab']);
    for (const region of body.regions)
      expect(region).toMatchObject({
        allowed: true,
        drivesAvailable: false,
        proxyAvailable: false,
        mk31Available: false,
        infoGeneration: expect.stringContaining('not known'),
      });
    const egress = body.regions.map(({ egressAvailable }: { egressAvailable: boolean }) => egressAvailable);
    expect(new Set(egress)).toEqual(new Set([false]));
    expect(body).toMatchObject({
      continents: [{ name: 'EU', displayName: 'Europe' }],
      countries: [
        { name: 'IT', displayName: 'Italy' },
        { name: 'NO', displayName: 'Norway' },
      ],
      detectedRegion: '',
      privateLocations: [],
    });
  });

  test('a region says whether its runners are there and how they isolate', async () => {
    const add = (name: string, region: string, status: 'up' | 'lost', isolation: string[]) =>
      api.database.insertInto('runners').values({ id: uuidv7(), name, region, status, isolation }).execute();
    await add('a', 'eu-1', 'up', ['runc', 'gvisor']);
    await add('b', 'eu-2', 'up', ['runc']);
    await add('c', 'eu-2', 'lost', ['runc', 'gvisor']);
    const { body: locations } = await api.admin.get('/locations');
    expect(locations.map(({ status }: { status: string }) => status)).toEqual(['healthy', 'degraded', 'no_runner']);
    const { body } = await api.admin.get('/configuration');
    expect(body.regions.map(({ mk31Available }: { mk31Available: boolean }) => mk31Available)).toEqual([
      true,
      false,
      false,
    ]);
    expect(body.regions.map(({ infoGeneration }: { infoGeneration: string }) => infoGeneration)).toEqual([
      expect.stringContaining('run under gVisor'),
      expect.stringContaining('No runner has gVisor, so sandboxes and mk3 workloads wait'),
      expect.stringContaining('not known'),
    ]);
  });

  test('locations and configuration say how they isolate in the same words', async () => {
    const { body: locations } = await api.admin.get('/locations');
    const { body } = await api.admin.get('/configuration');
    expect(locations.map(({ isolation }: { isolation: string }) => isolation)).toEqual(
      body.regions.map(({ infoGeneration }: { infoGeneration: string }) => infoGeneration),
    );
  });

  test('both need a credential and no workspace', async () => {
    const nobody = await api.user();
    for (const path of ['/locations', '/configuration']) {
      expect((await api.admin.with({ key: undefined }).get(path)).status).toBe(401);
      expect((await nobody.client.get(path)).status).toBe(200);
    }
  });
});

describe('features', () => {
  test('only features that are on are listed', async () => {
    expect((await api.admin.get('/features')).body).toEqual({ features: { 'new-console': true } });
  });

  test('one feature is evaluated, on or off, and an unknown one is 404', async () => {
    const on = await api.admin.get('/features/new-console');
    expect(on.body).toEqual({ featureKey: 'new-console', enabled: true, evaluatedAt: expect.any(String) });
    expect((await api.admin.get('/features/old-console')).body.enabled).toBe(false);
    for (const key of ['nothing', '__proto__', 'constructor'])
      expect((await api.admin.get(`/features/${key}`)).status).toBe(404);
  });

  test('a feature may be asked for an own account, not for another one', async () => {
    const own = await api.admin.get('/features/new-console', { query: { account: api.accountId } });
    expect(own.status).toBe(200);
    const other = await api.admin.get('/features/new-console', { query: { account: 'somebody-else' } });
    expect(other.status).toBe(404);
  });
});

describe('changelog', () => {
  test('the news are public and newest first', async () => {
    const { status, body } = await api.admin.with({ key: undefined, workspace: undefined }).get('/changelog');
    expect(status).toBe(200);
    const dates = body.entries.map(({ date }: { date: string }) => date);
    expect(dates).toEqual(dates.toSorted().toReversed());
  });
});
