// A request that has reached no instance is offered again: to another one, or to the same when its runner is back.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAuthenticator } from '@berth/identity';
import { createMetricsRegistry } from '@berth/telemetry';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createGatekeeper } from '../../services/gateway/src/access/gatekeeper.ts';
import { createStickyCookies } from '../../services/gateway/src/access/sticky-cookie.ts';
import { createDemandBook } from '../../services/gateway/src/demand/demand-book.ts';
import { writeDemand } from '../../services/gateway/src/demand/write-demand.ts';
import { type Connector, NotDispatched, RunnerAway } from '../../services/gateway/src/proxy/connector.ts';
import { createForwarder } from '../../services/gateway/src/proxy/forward.ts';
import { directConnector, startUpstream, type Upstream } from '../../services/gateway/src/proxy/proxy-fixture.ts';
import { createGatewayServer } from '../../services/gateway/src/proxy/serve.ts';
import { createUpgrader } from '../../services/gateway/src/proxy/upgrade.ts';
import { createCatalogue } from '../../services/gateway/src/routing/catalogue.ts';
import { createChooser } from '../../services/gateway/src/serve/choose.ts';
import { createRequestMetrics } from '../../services/gateway/src/serve/metrics.ts';
import { WaitingList } from '../../services/gateway/src/serve/waiting-list.ts';
import { createWalk } from '../../services/gateway/src/serve/walk.ts';
import { conformanceBrand } from '../support/conformance-brand.ts';
import { type Bed, makeBed, silent } from './bed.ts';

const brand = conformanceBrand();
let bed: Bed;
let upstream: Upstream;
let deployed: { uid: string; revision: string };
let runnerId: string;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  bed = await makeBed();
  upstream = await startUpstream(async (request, response) => {
    const hash = createHash('sha256');
    for await (const chunk of request) hash.update(chunk);
    response.end(hash.digest('hex'));
  });
  deployed = await bed.deploy('open', { public: true });
  runnerId = await bed.addRunner();
  await bed.addInstance(deployed.uid, deployed.revision, runnerId);
});
afterAll(async () => {
  upstream.server.closeAllConnections();
  upstream.server.close();
  await bed[Symbol.asyncDispose]();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** All of the gateway but its way to instances, which here is a port of this machine and may be barred. */
async function startWalk(
  bar: (...asked: Parameters<Connector['connect']>) => Error | undefined,
  { patienceMs = 10_000, mostWaiting = 100 } = {},
) {
  const { database, api } = bed;
  const direct = directConnector(upstream.port);
  const connector: Connector = {
    ...direct,
    async connect(...asked) {
      const error = bar(...asked);
      if (error !== undefined) throw error;
      return direct.connect(...asked);
    },
  };
  const registry = createMetricsRegistry({ role: 'gateway' });
  const catalogue = createCatalogue({ database, databaseUrl: api.databaseUrl, logger: silent });
  const limits = { totalMs: 20_000, silentMs: 10_000 };
  const shared = { connector, timeouts: { agent: limits, function: limits }, logger: silent, registry };
  const forwarder = createForwarder({ limits: { jsonBytes: 1024 * 1024 }, ...shared });
  const demand = createDemandBook({
    ...{ requestsPerInstance: 10, idleMs: 60_000, logger: silent },
    write: (entries) => writeDemand(database, { gatewayId: randomUUID(), lifeSeconds: 60 }, entries),
  });
  const waiting = new WaitingList(mostWaiting);
  const walk = createWalk({
    ...{
      brand,
      workloadDomain: 'example.org',
      docsUrl: '/docs',
      logger: silent,
      forwarder,
      demand,
      patienceMs,
      waiting,
    },
    gatekeeper: createGatekeeper({ authenticator: createAuthenticator(database), catalogue, brand }),
    chooser: createChooser({
      ...{ brand, catalogue, demand, holdMs: patienceMs, waiting, random: Math.random },
      cookies: createStickyCookies({ key: randomBytes(32), brand }),
    }),
    upgrader: createUpgrader(shared),
    isTrusted: () => false,
    metrics: createRequestMetrics(registry),
  });
  const server = createGatewayServer({
    ...{ handle: walk, maxHeaderBytes: 16_384, headersTimeoutMs: 5_000, keepAliveMs: 5_000, logger: silent },
    refusal: () => ({ headers: [], body: '' }),
  });
  const { port } = await server.listen(0, '127.0.0.1');
  closing.push(
    () => catalogue.close(),
    () => demand.close(),
    () => forwarder.close(),
    () => server.stop(0),
  );
  return `http://127.0.0.1:${port}/main/agents/open`;
}

test('while its runner starts again a request waits, and its upload arrives whole and once', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  closing.push(() => process.off('warning', onWarning));
  const backAt = performance.now() + 5_000;
  const url = await startWalk(() => (performance.now() < backAt ? new RunnerAway({}) : undefined));
  const body = randomBytes(4 * 1024 * 1024);
  const answer = await fetch(url, { method: 'POST', body });
  expect([answer.status, await answer.text()]).toEqual([200, createHash('sha256').update(body).digest('hex')]);
  // Nothing is left behind by the tries that failed.
  expect(warnings).toEqual([]);
});

test('what no instance took in time is answered as not dispatched', async () => {
  const url = await startWalk(() => new RunnerAway({}), { patienceMs: 600 });
  const startedAt = performance.now();
  const answer = await fetch(url, { method: 'POST', body: 'hello' });
  expect([answer.status, answer.headers.get(`x-${brand.long}-dispatch-state`)]).toEqual([503, 'not_dispatched']);
  expect(performance.now() - startedAt).toBeGreaterThan(500);
});

test('no more wait for an unreachable workload than may, and the others are told at once', async () => {
  const url = await startWalk(() => new RunnerAway({}), { patienceMs: 3_000, mostWaiting: 3 });
  const answers = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const startedAt = performance.now();
      const { status } = await fetch(url);
      return { status, isEarly: performance.now() - startedAt < 2_500 };
    }),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  const late = answers.filter(({ isEarly }) => !isEarly).length;
  expect(late).toBeGreaterThan(0);
  expect(late).toBeLessThanOrEqual(10);
});

test('a runner that refuses the secret of its last session is asked with the new one', async () => {
  const url = await startWalk(({ ingress }) =>
    ingress?.secret === 'renewed' ? undefined : new NotDispatched('refused', 'the runner says refused'),
  );
  const answering = fetch(url);
  await sleep(200);
  await bed.database.updateTable('runners').set({ ingress_secret: 'renewed' }).where('id', '=', runnerId).execute();
  expect((await answering).status).toBe(200);
});

test('connections to an instance that its workload has no longer are not kept', async () => {
  const old = await bed.addInstance(deployed.uid, deployed.revision, runnerId);
  const asked = new Set<string>();
  const url = await startWalk(({ instance }) => void asked.add(instance));
  await vi.waitFor(async () => {
    await Promise.all(Array.from({ length: 4 }, () => fetch(url)));
    expect(asked.has(old)).toBe(true);
  });
  const before = upstream.sockets.size;
  await bed.database.updateTable('instances').set({ desired: 'gone' }).where('id', '=', old).execute();
  await sleep(900);
  await fetch(url);
  await vi.waitFor(() => expect(upstream.sockets.size).toBeLessThan(before));
});
