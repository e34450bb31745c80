// Requests of workloads as the management API shows them: a real api, a real ClickHouse, rows as gateways write them.
import { uuidv7 } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { countDuration, noDurations, openUsage, type RequestRow, type Usage } from '@berth/usage';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';
import type { Client } from '../../../tests/harness/client.ts';
import { addAccount } from '../../../tests/harness/tenant.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let clickhouse: TestClickhouse;
let api: TestApi;
let usage: Usage;

beforeAll(async () => {
  clickhouse = await startTestClickhouse();
  api = await startTestApi({ clickhouse });
  usage = openUsage({ url: clickhouse.url, logger: createLogger({ role: 'test' }, { level: 'error' }) });
});
afterAll(async () => {
  await usage.close();
  await api[Symbol.asyncDispose]();
  await clickhouse[Symbol.asyncDispose]();
});

const minuteMs = 60_000;
/** A minute in the last hour, with at least five others behind it. */
const base = Math.floor(Date.now() / minuteMs - 10) * minuteMs;
const second = (ms: number): string => new Date(ms).toISOString().slice(0, 19);
const at = (minute: number): string => new Date(base + minute * minuteMs).toISOString();

interface Counted {
  readonly minute?: number;
  readonly requests?: number;
  readonly serverErrors?: number;
  readonly clientErrors?: number;
  readonly ms?: number;
  readonly resourceType?: string;
  readonly workspace?: string;
}

async function count(workload: string, ...minutes: readonly Counted[]): Promise<void> {
  const rows = minutes.map(async (counted): Promise<RequestRow> => {
    const { minute = 0, requests = 1, clientErrors = 0, serverErrors = 0, ms = 30 } = counted;
    const { id: workspaceId } = await api.database
      .selectFrom('workspaces')
      .select('id')
      .where('name', '=', counted.workspace ?? api.workspace)
      .executeTakeFirstOrThrow();
    const durations = noDurations();
    for (let each = 0; each < requests; each += 1) countDuration(durations, ms);
    return {
      ...{ workspaceId, resourceType: counted.resourceType ?? 'agents', resourceUid: uuidv7(), workload },
      ...{ minuteMs: base + minute * minuteMs, gateway: uuidv7(), requests, clientErrors, serverErrors },
      ...{ bytesIn: requests, bytesOut: requests * 1_000, durations, firstBytes: noDurations() },
    };
  });
  await usage.requests.write(await Promise.all(rows));
}

type Query = Readonly<Record<string, string | number>>;
const path = '/observability/metrics';
const ask = (query: Query = {}, client: Client = api.admin) => client.get(path, { query });

describe('the answer', () => {
  test('has totals and a chart of a named workload, summed over gateways', async () => {
    await count('alpha', { requests: 3, clientErrors: 1 }, { requests: 1, ms: 700 }, { minute: 2, serverErrors: 1 });
    const { body } = await ask({ workloadIds: 'alpha', resourceType: 'agents' });
    expect(body.alpha).toEqual({
      ...{ requests: 5, clientErrors: 1, serverErrors: 1, bytesIn: 5, bytesOut: 5_000 },
      ...{ latencyMs: { p50: 40.6, p95: 875, p99: 975 }, firstByteMs: null },
      chart: [
        {
          timestamp: at(0),
          ...{ requests: 4, clientErrors: 1, serverErrors: 0, bytesIn: 4, bytesOut: 4_000 },
          ...{ latencyMs: { p50: 41.7, p95: 900, p99: 980 }, firstByteMs: null },
        },
        {
          timestamp: at(2),
          ...{ requests: 1, clientErrors: 0, serverErrors: 1, bytesIn: 1, bytesOut: 1_000 },
          ...{ latencyMs: { p50: 37.5, p95: 48.8, p99: 49.8 }, firstByteMs: null },
        },
      ],
    });
  });

  test('has zeros for a named workload without requests', async () => {
    const { body } = await ask({ workloadIds: 'beta-none' });
    const zeros = { requests: 0, clientErrors: 0, serverErrors: 0, bytesIn: 0, bytesOut: 0 };
    expect(body).toEqual({ 'beta-none': { ...zeros, latencyMs: null, firstByteMs: null, chart: [] } });
  });

  test('lists the workloads with requests when no name is given, with totals and without charts', async () => {
    await api.addWorkspace('quiet');
    const quiet = api.admin.with({ workspace: 'quiet' });
    await count('one', { workspace: 'quiet', requests: 2 });
    await count('two', { workspace: 'quiet', resourceType: 'sandboxes', requests: 5 });
    await count('early', { workspace: 'quiet', minute: -120 });
    const asked = async (query: Query) => {
      const { body } = await ask(query, quiet);
      return Object.keys(body).map((name) => [name, body[name].requests, body[name].chart]);
    };
    expect(await asked({})).toEqual([
      ['two', 5, []],
      ['one', 2, []],
    ]);
    expect(await asked({ resourceType: 'sandboxes' })).toEqual([['two', 5, []]]);
    expect(await asked({ start: second(base - 121 * minuteMs) })).toHaveLength(3);
  });

  test('keeps to its window, whose end is not part of it, and to its interval', async () => {
    await count('gamma', { minute: 0 }, { minute: 1 }, { minute: 4 });
    const requests = async (from: number, to: number) => {
      const window = { start: second(base + from * minuteMs), end: second(base + to * minuteMs) };
      return (await ask({ workloadIds: 'gamma', ...window })).body.gamma.requests;
    };
    expect([await requests(0, 1), await requests(1, 4), await requests(0, 5)]).toEqual([1, 1, 3]);
    const { body } = await ask({ workloadIds: 'gamma', interval: 86_400, start: second(base) });
    expect(body.gamma.chart.reduce((sum: number, bucket: { requests: number }) => sum + bucket.requests, 0)).toBe(3);
    expect(body.gamma.chart.length).toBeLessThanOrEqual(2);
  });
});

describe('a request is refused', () => {
  const wrong: readonly (readonly [string, Query])[] = [
    ['invalid_request', { resourceType: 'agent' }],
    ['invalid_request', { workloadIds: ',' }],
    ['invalid_request', { workloadIds: Array.from({ length: 21 }, (_, index) => `a${index}`).join() }],
    ['invalid_request', { start: '2026-01-01T00:00:00Z' }],
    ['invalid_request', { interval: 30 }],
    ['invalid_request', { interval: 90 }],
    ['invalid_log_window', { start: '2026-01-02T00:00:00', end: '2026-01-01T00:00:00' }],
    ['invalid_log_window', { start: '2026-01-01T00:00:00', end: '2026-01-04T00:00:01' }],
  ];
  test.each(wrong)('400 %s for %j', async (code, query) => {
    const { status, body } = await ask({ workloadIds: 'x', ...query });
    expect([status, body.error]).toEqual([400, code]);
  });

  test('403 by a key that may not read that kind, whose requests are left out of all others', async () => {
    await count('delta', { resourceType: 'agents' });
    await count('delta', { resourceType: 'sandboxes' });
    const { body } = await api.admin.post('/profile/api_keys', { scopes: ['agents:get'] });
    const limited = api.admin.with({ key: body.apiKey });
    expect((await ask({ workloadIds: 'delta' })).body.delta.requests).toBe(2);
    expect((await ask({ workloadIds: 'delta' }, limited)).body.delta.requests).toBe(1);
    const refused = await ask({ resourceType: 'sandboxes' }, limited);
    expect([refused.status, refused.body.error]).toEqual([403, 'scope_required']);
    expect(refused.body.message).toContain('sandboxes:get');
    const { body: other } = await api.admin.post('/profile/api_keys', { scopes: ['drives:get'] });
    expect((await ask({}, api.admin.with({ key: other.apiKey }))).body).toEqual({});
  });
});

test('requests of another workspace never show, in the same account or another, by the same name', async () => {
  await api.addWorkspace('beside');
  const other = await addAccount(api, 'yankee');
  await count('iota', { requests: 1 });
  await count('iota', { requests: 7, workspace: 'beside' });
  await count('kappa', { requests: 9, workspace: 'beside' });
  const of = async (client: Client) => (await ask({ workloadIds: 'iota' }, client)).body.iota.requests;
  expect(await of(api.admin)).toBe(1);
  expect(await of(api.admin.with({ workspace: 'beside' }))).toBe(7);
  expect(await of(other.client)).toBe(0);
  expect(Object.keys((await ask()).body)).not.toContain('kappa');
  expect((await ask({}, other.client)).body).toEqual({});
  expect((await ask({}, other.client.with({ workspace: 'beside' }))).status).toBe(403);
});

test('while ClickHouse is away the answer is 503 and says so', async () => {
  await count('omicron', { requests: 1 });
  await clickhouse.kill();
  const { status, body } = await ask({ workloadIds: 'omicron' });
  expect([status, body.error]).toEqual([503, 'request_metrics_unreachable']);
  await clickhouse.start();
  expect((await ask({ workloadIds: 'omicron' })).body.omicron.requests).toBe(1);
});

test('a deployment without ClickHouse says which setting it lacks', async () => {
  await using without = await startTestApi();
  const { status, body } = await ask({}, without.admin);
  expect([status, body.error]).toEqual([503, 'request_metrics_unavailable']);
  expect(body.message).toContain('BERTH_CLICKHOUSE_URL');
});
