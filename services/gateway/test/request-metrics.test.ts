// Requests through the whole walk are counted in a real ClickHouse.
import { randomUUID } from 'node:crypto';
import { createMetricsRegistry } from '@berth/telemetry';
import { openUsage, type RequestFigures, type Usage } from '@berth/usage';
import { NotDispatched } from '@berth/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { GatewayConfig } from '../src/config.ts';
import { createRequestCounts } from '../src/counts/request-counts.ts';
import type { Connector } from '../src/proxy/connector.ts';
import { startGateway } from '../src/start-gateway.ts';
import { type ApiWithWorkloads, silent, startApiWithWorkloads } from './api-with-workloads.ts';
import { directConnector, startUpstream, type Upstream } from './proxy-fixture.ts';
import { startTestGateway } from './test-gateway.ts';

let workloads: ApiWithWorkloads;
let upstream: Upstream;
let clickhouse: TestClickhouse;
let usage: Usage;
let workspaceId: string;
let hanging = 0;

beforeAll(async () => {
  [workloads, clickhouse, upstream] = await Promise.all([
    startApiWithWorkloads(),
    startTestClickhouse(),
    startUpstream(async (request, response) => {
      for await (const _ of request);
      const status = new URL(request.url ?? '', 'http://localhost').searchParams.get('status') ?? '200';
      if (status === 'hang') hanging += 1;
      else if (status === 'break') request.socket.destroy();
      else response.writeHead(Number(status)).end('0123456789');
    }),
  ]);
  usage = openUsage({ url: clickhouse.url, logger: silent });
  await usage.migrate();
  const runnerId = await workloads.addRunner();
  for (const name of ['web', 'other', 'patient']) {
    const { uid, revision } = await workloads.deploy(name);
    await workloads.addInstance(uid, revision, runnerId);
  }
  const { id } = await workloads.database
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', 'main')
    .executeTakeFirstOrThrow();
  workspaceId = id;
});
afterAll(async () => {
  upstream.server.closeAllConnections();
  upstream.server.close();
  await usage.close();
  await clickhouse[Symbol.asyncDispose]();
  await workloads[Symbol.asyncDispose]();
});

const startedAt = Date.now();

async function totals(): Promise<Record<string, RequestFigures>> {
  const found = await usage.requests.query({
    ...{ workspaceId, resourceTypes: ['agents', 'functions', 'sandboxes'], intervalSeconds: 60 },
    from: new Date(startedAt - 60_000),
    to: new Date(Date.now() + 60_000),
  });
  return Object.fromEntries([...found].map(([name, { total }]) => [name, total]));
}

async function startCounting(connector: Connector = directConnector(upstream.port), patienceMs = 300) {
  const counts = createRequestCounts({
    ...{ write: (rows) => usage.requests.write(rows), logger: silent, newRunId: randomUUID },
  });
  const gateway = await startTestGateway(workloads, connector, { counts, patienceMs });
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${workloads.api.adminKey}` };
    const answer = await fetch(`${gateway.url}/main/agents/${path}`, { headers, ...init });
    return { status: answer.status, body: await answer.text() };
  };
  const stop = async () => {
    await gateway[Symbol.asyncDispose]();
    await counts.close();
  };
  return { counts, ask, stop };
}

test('requests of admitted callers are counted for their workload, with errors and bytes; gateways add up', async () => {
  const [one, two] = [await startCounting(), await startCounting()];
  await one.ask('web', { method: 'POST', body: 'hello' });
  await one.ask('web?status=404');
  await one.counts.flush();
  expect((await one.ask('web?status=500')).status).toBe(500);
  // The workload closes the connection without an answer.
  expect((await one.ask('web?status=break')).status).toBe(502);
  await two.ask('web');
  await two.ask('other');
  for (let times = 0; times < 2; times += 1) {
    await one.ask('none');
    await one.ask('web', { headers: {} });
    await one.ask('web', { headers: { authorization: 'Bearer bl_wrong' } });
  }
  await Promise.all([one.stop(), two.stop()]);
  const { web, other, ...rest } = await totals();
  expect(rest).toEqual({});
  expect(web).toMatchObject({ requests: 5, clientErrors: 1, serverErrors: 2, bytesIn: 5, bytesOut: 40 });
  expect(other).toMatchObject({ requests: 1, clientErrors: 0, serverErrors: 0, bytesOut: 10 });
  expect(web?.latencyMs?.p99).toBeGreaterThan(0);
  expect(web?.firstByteMs?.p50).toBeLessThanOrEqual(web?.latencyMs?.p99 ?? 0);
});

test('refusals after the caller is admitted count, also where no instance takes the request', async () => {
  await workloads.deploy('off', { enabled: false });
  await workloads.deploy('away');
  const nowhere = { connect: () => Promise.reject(new NotDispatched('unreachable', 'gone')), close: async () => {} };
  const gateway = await startCounting(nowhere);
  const statuses = [(await gateway.ask('off')).status, (await gateway.ask('away')).status];
  await gateway.stop();
  expect(statuses).toEqual([503, 503]);
  const { off, away } = await totals();
  expect([off, away]).toMatchObject([
    { requests: 1, serverErrors: 1, bytesOut: 0, firstByteMs: undefined },
    { requests: 1, serverErrors: 1, bytesOut: 0, firstByteMs: undefined },
  ]);
  // The request to the second one was held for an instance.
  expect(away?.latencyMs?.p50).toBeGreaterThan(250);
});

test('a client that leaves is a request and no error, while an instance has the request and while it waits for one', async () => {
  const waiting = await workloads.deploy('waiting');
  const gateway = await startCounting(directConnector(upstream.port), 3_600_000);
  const leave = async (path: string, isUnderWay: () => Promise<boolean>) => {
    const leaving = new AbortController();
    const asking = gateway.ask(path, { signal: leaving.signal }).catch(() => 'left');
    await expect.poll(isUnderWay).toBe(true);
    leaving.abort();
    expect(await asking).toBe('left');
  };
  await leave('patient?status=hang', async () => hanging > 0);
  await leave('waiting', async () => {
    const demand = workloads.database.selectFrom('workload_demand').select('requests');
    return (await demand.where('resource_uid', '=', waiting.uid).execute()).length > 0;
  });
  const counted = { requests: 1, clientErrors: 0, serverErrors: 0, bytesOut: 0 };
  await expect
    .poll(async () => {
      await gateway.counts.flush();
      return totals();
    })
    .toMatchObject({ patient: counted, waiting: counted });
  await gateway.stop();
});

test('the gateway role counts when it has an address of ClickHouse, and writes before it ends', async () => {
  await workloads.deploy('role', { enabled: false });
  const startRole = (url: string | undefined) =>
    startGateway({
      config: GatewayConfig.parse({ port: 0 }),
      limits: { limits: {}, tiers: {} },
      scaling: { requestsPerInstance: 10, idleSeconds: 60 },
      ...{ brand: conformanceBrand(), workloadDomain: 'example.org', databaseUrl: workloads.api.databaseUrl },
      ...{ clickhouse: { url }, logger: silent, registry: createMetricsRegistry({ role: 'gateway' }) },
    });
  for (const url of [undefined, clickhouse.url]) {
    const role = await startRole(url);
    const headers = { authorization: `Bearer ${workloads.api.adminKey}` };
    const answer = await fetch(`${role.address}/main/agents/role`, { headers });
    await answer.arrayBuffer();
    await role.stop();
    expect(answer.status).toBe(503);
  }
  expect((await totals()).role).toMatchObject({ requests: 1, serverErrors: 1 });
});
