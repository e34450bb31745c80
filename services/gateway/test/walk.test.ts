// A request that has reached no instance is retried: at another instance, or at the same one when its runner is back.

import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb } from '@berth/contract';
import { NotDispatched, RunnerAway } from '@berth/wire';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import type { Connector } from '../src/proxy/connector.ts';
import { type ApiWithWorkloads, startApiWithWorkloads } from './api-with-workloads.ts';
import { directConnector, startUpstream, type Upstream } from './proxy-fixture.ts';
import { startTestGateway, type TestGatewayOptions } from './test-gateway.ts';

const brand = conformanceBrand();
let workloads: ApiWithWorkloads;
let upstream: Upstream;
let deployed: { uid: string; revision: string };
let runnerId: string;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  workloads = await startApiWithWorkloads();
  upstream = await startUpstream(async (request, response) => {
    const hash = createHash('sha256');
    for await (const chunk of request) hash.update(chunk);
    response.end(hash.digest('hex'));
  });
  deployed = await workloads.deploy('open', { public: true });
  runnerId = await workloads.addRunner();
  await workloads.addInstance(deployed.uid, deployed.revision, runnerId);
});
afterAll(async () => {
  upstream.server.closeAllConnections();
  upstream.server.close();
  await workloads[Symbol.asyncDispose]();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Connects to a port of this machine; `bar` can refuse the connection. */
async function startWalk(
  bar: (...asked: Parameters<Connector['connect']>) => Error | undefined,
  options: TestGatewayOptions = {},
) {
  const direct = directConnector(upstream.port);
  const connector: Connector = {
    ...direct,
    async connect(...asked) {
      const error = bar(...asked);
      if (error !== undefined) throw error;
      return direct.connect(...asked);
    },
  };
  const walk = await startTestGateway(workloads, connector, options);
  closing.push(() => walk[Symbol.asyncDispose]());
  return `${walk.url}/main/agents/open`;
}

test('while its runner starts again a request waits, and its upload arrives whole and once', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  closing.push(() => process.off('warning', onWarning));
  let tries = 0;
  const isBack = () => {
    tries += 1;
    return tries > 8;
  };
  const url = await startWalk(() => (isBack() ? undefined : new RunnerAway({})), { patienceMs: 60_000 });
  const body = randomBytes(4 * bytesPerMb);
  const answer = await fetch(url, { method: 'POST', body });
  expect([answer.status, await answer.text()]).toEqual([200, createHash('sha256').update(body).digest('hex')]);
  // The failed attempts leave nothing behind that Node warns about, such as listeners.
  expect(warnings).toEqual([]);
});

test('a request that no instance took in time is answered as not dispatched', async () => {
  const url = await startWalk(() => new RunnerAway({}), { patienceMs: 600 });
  const startedAt = performance.now();
  const answer = await fetch(url, { method: 'POST', body: 'hello' });
  expect([answer.status, answer.headers.get(`x-${brand.long}-dispatch-state`)]).toEqual([503, 'not_dispatched']);
  expect(performance.now() - startedAt).toBeGreaterThan(500);
});

test('no more wait for an unreachable workload than may, and the others are told at once', async () => {
  // Waiting requests do so until the end of the test.
  const url = await startWalk(() => new RunnerAway({}), { patienceMs: 3_600_000, maxWaiting: 3 });
  const end = new AbortController();
  const answered: number[] = [];
  const asked = Array.from({ length: 30 }, () =>
    fetch(url, { signal: end.signal }).then(
      ({ status }) => void answered.push(status),
      () => {},
    ),
  );
  await expect.poll(() => answered.length).toBeGreaterThanOrEqual(20);
  await sleep(200);
  expect(answered.length).toBeLessThan(30);
  expect(new Set(answered)).toEqual(new Set([503]));
  end.abort();
  await Promise.all(asked);
});

test('a runner that refuses the secret of its last session is asked with the new one', async () => {
  const url = await startWalk(({ ingress }) =>
    ingress?.secret === 'renewed' ? undefined : new NotDispatched('refused', 'the runner says refused'),
  );
  const answering = fetch(url);
  await sleep(200);
  await workloads.database
    .updateTable('runners')
    .set({ ingress_secret: 'renewed' })
    .where('id', '=', runnerId)
    .execute();
  expect((await answering).status).toBe(200);
});

test('connections to an instance that its workload has no longer are not kept', async () => {
  const old = await workloads.addInstance(deployed.uid, deployed.revision, runnerId);
  const asked = new Set<string>();
  const url = await startWalk(({ instance }) => void asked.add(instance));
  await expect
    .poll(async () => {
      await Promise.all(Array.from({ length: 4 }, () => fetch(url)));
      return asked.has(old);
    })
    .toBe(true);
  const before = upstream.sockets.size;
  await workloads.database.updateTable('instances').set({ desired: 'gone' }).where('id', '=', old).execute();
  await sleep(900);
  await fetch(url);
  await expect.poll(() => upstream.sockets.size).toBeLessThan(before);
});
