// Requests with invented keys, hosts and preview tokens. They have their own lane and are refused when it is full.
// Known callers, known workloads and revocation never wait for them.
import { randomBytes, randomUUID } from 'node:crypto';
import { type BatchLaneOptions, connect, createLookupLane, type Database } from '@berth/database';
import { newApiKey, newPreviewToken } from '@berth/identity';
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { GatewayConfig } from '../src/config.ts';
import { GatewayError } from '../src/errors/gateway-error.ts';
import { createPreviewGate } from '../src/previews/preview-gate.ts';
import { createTokenLookup } from '../src/previews/token-lookup.ts';
import type { PreviewRoute, Route } from '../src/routing/route.ts';
import { createWorkloadCache } from '../src/routing/workload-cache.ts';
import { startGateway } from '../src/start-gateway.ts';
import { type ApiWithWorkloads, byPath, silent, startApiWithWorkloads } from './api-with-workloads.ts';
import { countStatements } from './count-statements.ts';
import { directConnector } from './proxy-fixture.ts';
import { startTestGateway, type TestGatewayOptions } from './test-gateway.ts';

const brand = conformanceBrand();
let workloads: ApiWithWorkloads;
beforeAll(async () => {
  workloads = await startApiWithWorkloads();
});
afterAll(() => workloads[Symbol.asyncDispose]());

/** Connection pool for anonymous lookups that answers nothing until `free` is called. */
async function stuckStrangers() {
  const database = connect({ url: workloads.api.databaseUrl, maxConnections: 1 });
  const { promise: held, resolve: free } = Promise.withResolvers<void>();
  const holding = database.connection().execute(() => held);
  return {
    database,
    lane: { maxWaiting: 4, now: () => 0 },
    free,
    async [Symbol.asyncDispose]() {
      free();
      await holding;
      await database.destroy();
    },
  };
}

/** Result of each request, in order. */
const codesOf = async (answers: readonly Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(answers)).map((answer) =>
    answer.status === 'fulfilled' ? 'answered' : answer.reason instanceof GatewayError ? answer.reason.code : 'failed',
  );

const countOf = (codes: readonly string[], code: string): number => codes.filter((each) => each === code).length;

test('invented hosts fill their lane alone: known workloads and first calls with a valid key are answered', async () => {
  await workloads.deploy('known');
  await workloads.deploy('just-made');
  await using strangers = await stuckStrangers();
  let clock = 0;
  const { database } = workloads;
  const catalogue = createWorkloadCache({
    ...{ database, databaseUrl: workloads.api.databaseUrl, logger: silent, now: () => clock },
    lookupLanes: {
      caller: { database, lane: createLookupLane({ maxRunning: 1, maxWaiting: 1 }) },
      stranger: strangers,
    },
  });
  await using _closing = { [Symbol.asyncDispose]: catalogue.close };
  await catalogue.find(byPath('known'), 'caller');
  clock = 10_000;
  const invented = (): Route => ({
    by: 'host',
    region: 'local',
    label: `agt-${randomBytes(8).toString('hex')}`,
    path: '/',
  });
  const flood = codesOf(Array.from({ length: 1_000 }, () => catalogue.find(invented())));
  expect(await catalogue.find(byPath('known'))).toMatchObject({ name: 'known' });
  expect(await catalogue.find(byPath('just-made'), 'caller')).toMatchObject({ name: 'just-made' });
  // Refused because the lane is full; the error does not claim that the database is away.
  const busy = await catalogue.find(byPath('never-seen')).catch((error) => error);
  expect(busy).toMatchObject({ code: 'LOOKUPS_BUSY', details: { limit: 'lookups' } });
  strangers.free();
  const codes = await flood;
  expect([countOf(codes, 'LOOKUPS_BUSY'), countOf(codes, 'answered')]).toEqual([995, 5]);
});

test('names of every form that strangers ask about at once are told apart from invented ones, in few statements', async () => {
  const { uid } = await workloads.deploy('told');
  const row = await workloads.database
    .selectFrom('resources')
    .innerJoin('host_labels', 'host_labels.resource_uid', 'resources.uid')
    .select(['workspace_id', 'region', 'label'])
    .where('uid', '=', uid)
    .executeTakeFirstOrThrow();
  const { database, count } = countStatements(workloads.database);
  const catalogue = createWorkloadCache({ database, databaseUrl: workloads.api.databaseUrl, logger: silent });
  await using _closing = { [Symbol.asyncDispose]: catalogue.close };
  const { region, label } = row;
  const real: Route[] = [byPath('told'), byPath('told', row.workspace_id), { by: 'host', region, label, path: '/' }];
  const invented = Array.from({ length: 30 }, (_, at): Route[] => [
    byPath(`invented-${at}`),
    byPath('told', 'main', 'function'),
    byPath('told', `nowhere-${at}`),
    byPath('told', randomUUID()),
    { by: 'host', region, label: `${label}-${at}`, path: '/' },
    { by: 'preview', region, label, path: '/' },
  ]).flat();
  const found = await Promise.all([...invented, ...real].map((named) => catalogue.find(named)));
  expect(found.slice(0, invented.length).filter((workload) => workload !== undefined)).toEqual([]);
  expect(found.slice(invented.length).map((workload) => workload?.uid)).toEqual([uid, uid, uid]);
  // One statement for the first name alone, then one per address form for the others; then the three workloads are
  // read. Names that were requested twice are checked once more.
  expect(count()).toBeLessThanOrEqual(12);
});

test('invented preview tokens cost at most one question each, none without a checksum, and are refused beyond their lane', async () => {
  const counted = countStatements(workloads.database, 'from preview_tokens where hash');
  const { admin } = workloads.api;
  await admin.post('/sandboxes', { metadata: { name: 'box' }, spec: {} });
  const made = await admin.post('/sandboxes/box/previews', { metadata: { name: 'app' }, spec: { port: 3000 } });
  expect(made.status, made.text).toBe(200);
  const label = new URL(made.body.spec.url).host.split('.')[0] ?? '';
  const named: PreviewRoute = { by: 'preview', region: 'local', label, path: '/' };
  const catalogue = createWorkloadCache({
    ...{ database: workloads.database, databaseUrl: workloads.api.databaseUrl, logger: silent },
  });
  await using _closing = { [Symbol.asyncDispose]: catalogue.close };
  const gateWith = (database: Database, lane: BatchLaneOptions = { maxWaiting: 4 }) =>
    createPreviewGate({ cache: catalogue, brand, lookUpToken: createTokenLookup({ database, lane }) });
  const enter = (gate: ReturnType<typeof gateWith>, value: string): Promise<unknown> =>
    gate.admit(named, { method: 'GET', rawHeaders: [`X-${brand.long}-Preview-Token`, value] }, () => {});

  const gate = gateWith(counted.database);
  const wrong = newPreviewToken();
  const odd = `${wrong.slice(0, -1)}${wrong.endsWith('a') ? 'b' : 'a'}`;
  const random = randomBytes(40).toString('base64url').slice(0, 49);
  expect(await codesOf([enter(gate, odd), enter(gate, random)])).toEqual(Array(2).fill('AUTHENTICATION_FAILED'));
  expect(counted.count()).toBe(0);
  for (let sent = 0; sent < 20; sent += 1)
    expect(await codesOf([enter(gate, wrong)])).toEqual(['AUTHENTICATION_FAILED']);
  expect(counted.count()).toBe(1);

  // A token created a moment ago is found beside the invented ones.
  const token = await admin.post('/sandboxes/box/previews/app/tokens', { metadata: { name: 'one' }, spec: {} });
  expect(await codesOf([enter(gate, token.body.spec.token)])).toEqual(['answered']);

  // A new token goes through the same lane until the preview is read again; afterwards it needs no lookup.
  await expect.poll(async () => (await catalogue.find(named))?.preview?.tokens.size).toBe(1);
  await using strangers = await stuckStrangers();
  const crowded = gateWith(strangers.database, strangers.lane);
  const flood = codesOf(Array.from({ length: 100 }, () => enter(crowded, newPreviewToken())));
  expect(await codesOf([enter(crowded, token.body.spec.token)])).toEqual(['answered']);
  await expect.poll(() => codesOf([enter(crowded, newPreviewToken())])).toEqual(['LOOKUPS_BUSY']);
  strangers.free();
  const codes = await flood;
  expect([countOf(codes, 'LOOKUPS_BUSY'), countOf(codes, 'AUTHENTICATION_FAILED')]).toEqual([95, 5]);
});

test('a gateway in a flood of invented keys asks one question at a time for them, and judges known keys meanwhile', async () => {
  const { database } = workloads;
  const registry = createMetricsRegistry({ role: 'gateway' });
  const gateway = await startGateway({
    config: GatewayConfig.parse({ port: 0 }),
    limits: { limits: {}, tiers: {} },
    scaling: { requestsPerInstance: 10, idleSeconds: 60 },
    ...{ brand, workloadDomain: 'example.org', databaseUrl: workloads.api.databaseUrl, logger: silent, registry },
  });
  await using _stopping = { [Symbol.asyncDispose]: gateway.stop };
  const call = async (key: string) => {
    const answer = await fetch(`${gateway.address}/main/agents/nobody`, {
      headers: { authorization: `Bearer ${key}` },
    });
    await answer.arrayBuffer();
    return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
  };
  const refused = async (): Promise<number> =>
    Number(/^berth_gateway_refusals_total\{limit="lookups".*\} (\d+)$/m.exec(await registry.metrics())?.[1] ?? 0);
  /** Queries of the gateway that wait for a lock, by connection pool. */
  const waiting = async (pool: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and application_name = ${pool} and wait_event_type = 'Lock'`.execute(database);
    return rows[0]?.count ?? 0;
  };
  const [first, second] = [
    await workloads.api.user({ memberOf: 'main' }),
    await workloads.api.user({ memberOf: 'main' }),
  ];
  expect([await call(first.key), await call(second.key)]).toMatchObject([{ status: 404 }, { status: 404 }]);
  const { flood, judged } = await database.transaction().execute(async (tx) => {
    await sql`lock table api_keys in access exclusive mode`.execute(tx);
    await tx.deleteFrom('api_keys').where('user_id', '=', first.id).execute();
    const invent = () => call(newApiKey(brand).value);
    const asked = invent();
    await expect.poll(() => waiting('berth-gateway-strangers')).toBe(1);
    const flood = Promise.all([asked, ...Array.from({ length: 250 }, invent)]);
    // One lookup is running and 200 wait; nothing moves while the table is locked.
    await expect.poll(refused).toBe(50);
    const judged: Promise<{ status: number }>[] = [];
    await expect
      .poll(
        () => {
          judged.push(call(first.key));
          return waiting('berth-gateway-keys');
        },
        { interval: 50 },
      )
      .toBeGreaterThan(0);
    expect(await waiting('berth-gateway-strangers')).toBe(1);
    return { flood, judged };
  });
  await expect.poll(() => call(first.key)).toMatchObject({ status: 401 });
  expect(await call(second.key)).toMatchObject({ status: 404 });
  const statuses = await flood;
  await Promise.all(judged);
  const refusals = statuses.filter(({ status }) => status === 429);
  // Lookups that ran after the lock may have waited too long and were refused too.
  expect(refusals.length).toBeGreaterThanOrEqual(50);
  expect(refusals.every(({ retryAfter }) => retryAfter === '1')).toBe(true);
}, 60_000);

test('strangers in a flood are in the metric and in a line that counts them; a known caller who is refused has a line of their own', async () => {
  const lines: { event?: string; code?: string; refused?: Record<string, number> }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logger = createLogger({ role: 'gateway' }, { destination });
  await using walk = await startTestGateway(workloads, directConnector(1), { logger });
  const call = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(`${walk.url}/main/agents/nobody`, { headers });
    await answer.arrayBuffer();
    return answer.status;
  };
  const { key } = await workloads.api.user({ memberOf: 'main' });
  const statuses = await Promise.all(Array.from({ length: 100 }, () => call(newApiKey(brand).value)));
  expect(statuses).toEqual(Array(100).fill(401));
  expect(await call(key)).toBe(404);
  const ownLines = (code: string) => lines.filter((line) => line.event === 'request' && line.code === code).length;
  const counted = () => lines.reduce((sum, { refused = {} }) => sum + (refused.AUTHENTICATION_FAILED ?? 0), 0);
  await expect.poll(() => counted() + ownLines('AUTHENTICATION_FAILED')).toBe(100);
  expect(counted()).toBeGreaterThan(0);
  expect(ownLines('WORKLOAD_NOT_FOUND')).toBe(1);
  const metrics = await walk.registry.metrics();
  expect(metrics).toMatch(/^berth_gateway_request_seconds_count\{(?=.*kind="none")(?=.*status="401").*\} 100$/m);
}, 60_000);

describe('a rate limit', () => {
  const slow = { perSecond: 1, burst: 3 };
  let clock = 0;
  const now = (): number => clock;

  /** The agent is switched off, so an admitted caller gets 503. */
  async function startLimited(callers: TestGatewayOptions['callers']) {
    const walk = await startTestGateway(workloads, directConnector(1), {
      isTrusted: (address) => address === '127.0.0.1',
      callers: { ...callers, now },
    });
    const call = async (key: string, forwardedFor = '198.51.100.1') => {
      const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': forwardedFor };
      const answer = await fetch(`${walk.url}/main/agents/off`, { headers });
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() };
    };
    return { call, registry: walk.registry, [Symbol.asyncDispose]: () => walk[Symbol.asyncDispose]() };
  }

  beforeAll(() => workloads.deploy('off', { enabled: false }));

  test('of a key refuses what comes after its burst, names the limit, and leaves other keys alone', async () => {
    await using limited = await startLimited({ perKey: slow });
    const [busy, other] = [
      await workloads.api.user({ memberOf: 'main' }),
      await workloads.api.user({ memberOf: 'main' }),
    ];
    for (let sent = 0; sent < 3; sent += 1) expect(await limited.call(busy.key)).toMatchObject({ status: 503 });
    const refused = await limited.call(busy.key);
    expect(refused).toMatchObject({ status: 429, retryAfter: '1' });
    const { error } = JSON.parse(refused.text);
    expect(error).toMatchObject({ code: 'RATE_LIMITED', retryable: true, safe_to_retry_request: true });
    expect(error.message).toMatch(/^More than 1 requests per second came with the key ak_\w+, after a burst of 3\.$/);
    expect(error.action).toContain('gateway.rateLimits.perKey');
    expect(await limited.call(other.key)).toMatchObject({ status: 503 });
    expect(await limited.registry.metrics()).toContain('berth_gateway_refusals_total{limit="key",role="gateway"} 1');
    clock += 1_000;
    expect(await limited.call(busy.key)).toMatchObject({ status: 503 });
  });

  test('of an address counts the client that a trusted proxy saw, not what the client says', async () => {
    await using limited = await startLimited({ perAddress: slow });
    const { key } = await workloads.api.user({ memberOf: 'main' });
    const invented = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];
    const statuses: number[] = [];
    for (const each of invented) statuses.push((await limited.call(key, `${each}, 198.51.100.7`)).status);
    expect(statuses).toEqual([503, 503, 503, 429]);
    const network: number[] = [];
    for (const host of ['1', '2', '3', '4']) network.push((await limited.call(key, `2001:db8:1:2::${host}`)).status);
    expect(network).toEqual([503, 503, 503, 429]);
    expect(await limited.call(key, '2001:db8:1:3::1')).toMatchObject({ status: 503 });
    expect(await limited.registry.metrics()).toContain(
      'berth_gateway_refusals_total{limit="address",role="gateway"} 2',
    );
  });
});
