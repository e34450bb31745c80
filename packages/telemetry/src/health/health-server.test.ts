import { Counter } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import { createMetricsRegistry } from '../metrics/registry.ts';
import { type HealthServer, startHealthServer } from './health-server.ts';
import type { ReadyReport } from './ready.ts';

const running: HealthServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

const allGood = async (): Promise<ReadyReport> => ({ ready: true, checks: { postgres: { ok: true } } });

async function start(ready: () => Promise<ReadyReport> = allGood, registry = createMetricsRegistry({ role: 'api' })) {
  const server = await startHealthServer({ port: 0, host: '127.0.0.1', ready, registry, readyTimeoutMs: 50 });
  running.push(server);
  return server.url;
}

test('/healthz answers even when the role is not ready', async () => {
  const url = await start(async () => ({ ready: false, checks: {} }));
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('/readyz is 200 with the report when ready', async () => {
  const response = await fetch(`${await start()}/readyz`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ ready: true, checks: { postgres: { ok: true } } });
});

test.each([
  ['says no', async () => ({ ready: false, checks: { postgres: { ok: false, detail: 'down' } } }), 'down'],
  ['throws', () => Promise.reject(new Error('no pool')), 'no pool'],
  ['hangs', () => new Promise<ReadyReport>(() => {}), 'no answer within 50 ms'],
])('/readyz is 503 when the check %s', async (_, ready, detail) => {
  const response = await fetch(`${await start(ready)}/readyz`);
  expect(response.status).toBe(503);
  expect(await response.text()).toContain(detail);
});

test('/metrics holds process metrics and our own, labelled with the role', async () => {
  const registry = createMetricsRegistry({ role: 'api' });
  new Counter({ name: 'berth_things_total', help: 'Things', registers: [registry] }).inc(3);
  const response = await fetch(`${await start(allGood, registry)}/metrics`);
  const body = await response.text();
  expect(response.headers.get('content-type')).toContain('text/plain');
  expect(body).toContain('berth_things_total{role="api"} 3');
  expect(body).toContain('process_resident_memory_bytes{role="api"}');
});

test('anything else is 404, any other method 405', async () => {
  const url = await start();
  expect((await fetch(`${url}/toString`)).status).toBe(404);
  expect((await fetch(`${url}/healthz`, { method: 'POST' })).status).toBe(405);
});
