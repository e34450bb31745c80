// What an operator sees of a running deployment: dashboards, alerts and spans.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countSpans } from '../../../engines/otlp-schema.ts';
import { isFull } from '../../harness/size.ts';
import type { ReceivedSpan } from '../../harness/span-collector.ts';
import { agent, clientOf } from '../../harness/workloads.ts';
import { monitoringFolder, startWatchedDeployment, type WatchedDeployment } from './watched-deployment.ts';

const box = { name: 'box', workspace: 'main' };
const traced = '4bf92f3577b34da6a3ce929d0e0e4736';
const created = '5bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';
const secretQuery = 'token=query-secret';

describe.skipIf(!isFull)('a running deployment', () => {
  let deployment: WatchedDeployment;

  beforeAll(async () => {
    deployment = await startWatchedDeployment();
  });
  afterAll(() => deployment?.[Symbol.asyncDispose]());

  const call = (url: string, path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${deployment.fleet.key}`, 'service-version': '2026-04-28', ...init.headers },
    });

  test('the spans of one request connect from the gateway to the guest, and those of one write to the runner', async () => {
    const { sandboxes, fleet, gateway, collector } = deployment;
    await sandboxes.create(box);
    const traceparent = `00-${traced}-${parent}-01`;
    const path = `/main/sandboxes/box/filesystem/tree/tmp?${secretQuery}`;
    const answer = await call(gateway.url, path, { headers: { traceparent } });
    expect(answer.status).toBe(200);
    expect([...answer.headers.keys()].filter((name) => name.includes('guest'))).toEqual([]);
    await answer.text();
    const made = await call(fleet.url, '/v0/agents', {
      method: 'POST',
      headers: {
        traceparent: `00-${created}-${parent}-01`,
        'content-type': 'application/json',
        'x-service-workspace': 'main',
      },
      body: JSON.stringify(agent('web', { generation: 'mk2' })),
    });
    expect(made.status).toBe(200);

    const of = (traceId: string) => collector.spans().filter((span) => span.traceId === traceId);
    await expect
      .poll(() =>
        of(traced)
          .map(chain(of(traced)))
          .toSorted(),
      )
      .toEqual(['gateway', 'gateway > guest']);
    await expect
      .poll(() => of(created).map(chain(of(created))), { timeout: 60_000 })
      .toEqual(
        expect.arrayContaining([
          'api createAgent',
          'api createAgent > orchestrator reconcile',
          'api createAgent > orchestrator reconcile > runner instance.ready',
        ]),
      );
    const [guest] = of(traced).filter(({ service }) => service === 'berth-guest');
    const [own] = of(traced).filter(({ service }) => service === 'berth-gateway');
    expect(own?.parentSpanId).toBe(parent);
    expect((guest?.endNs ?? 0n) - (guest?.startNs ?? 0n)).toBeLessThanOrEqual(
      (own?.endNs ?? 0n) - (own?.startNs ?? 0n),
    );
  });

  /** Services and names from the first span of the trace to this one. */
  const chain =
    (all: readonly ReceivedSpan[]) =>
    (span: ReceivedSpan): string => {
      const above = all.find(({ spanId }) => spanId === span.parentSpanId);
      const own = `${String(span.service).replace('berth-', '')} ${span.name}`.replace(/ request$/, '');
      return above === undefined ? own : `${chain(all)(above)} > ${own}`;
    };

  test('every query of every dashboard returns data from the running deployment', async () => {
    const { fleet, gateway } = deployment;
    const client = clientOf(fleet);
    // A series shows a rate once it has grown between two scrapes, so everything happens more than once.
    async function makeTraffic(name: string): Promise<void> {
      await client.post('/agents', agent(name, { generation: 'mk2' }));
      // It has no instance yet: the gateway holds the request.
      expect((await call(gateway.url, `/main/agents/${name}/`)).status).toBe(200);
      expect((await call(gateway.url, `/main/agents/${name}/?async=true`, { method: 'POST', body: 'x' })).ok).toBe(
        true,
      );
      await call(gateway.url, '/main/sandboxes/box/health');
    }
    await expect.poll(async () => (await deployment.query('up == 1')).length, { timeout: 30_000 }).toBe(5);
    const { queries } = dashboards();
    expect(queries.length).toBeGreaterThan(50);
    let rounds = 0;
    let silent: string[] = queries.map(({ expr }) => expr);
    await expect
      .poll(
        async () => {
          rounds += 1;
          await makeTraffic(`agent-${rounds}`);
          const answers = await Promise.all(silent.map((expr) => deployment.query(expr)));
          silent = silent.filter((_, at) => !answers[at]?.some(({ value }) => Number.isFinite(value)));
          return silent;
        },
        { timeout: 120_000, interval: 1_500 },
      )
      .toEqual([]);
  });

  function dashboards(): { queries: { title: string; expr: string }[] } {
    const folder = join(monitoringFolder, 'dashboards');
    const files = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
    return {
      queries: files.flatMap(({ panels }: { panels: { title: string; targets: { expr: string }[] }[] }) =>
        panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr }))),
      ),
    };
  }

  test('what the collector received fits the official schema, and holds no secret, query or body', async () => {
    const { collector, fleet } = deployment;
    const { requests } = collector;
    const sent = requests.flatMap((request) => JSON.parse(request).resourceSpans);
    const spans = collector.spans().length;
    expect(spans).toBeGreaterThan(10);
    expect(await countSpans(JSON.stringify({ resourceSpans: sent }))).toBe(spans);
    const all = requests.join('\n');
    for (const secret of [fleet.key, 'query-secret', 'collector-secret', 'VARIABLE_0'])
      expect(all).not.toContain(secret);
  });

  test('while the collector does not answer, requests are answered, and each role has one request to it', async () => {
    const { gateway, collector } = deployment;
    collector.isDeaf = true;
    const statuses: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => call(gateway.url, '/main/agents/web/')));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses).toEqual(statuses.map(() => 200));
    await expect
      .poll(async () => (await deployment.query('sum(berth_spans_waiting{role="gateway"})'))[0]?.value)
      .toBeGreaterThanOrEqual(200);
    // api, orchestrator, runner and two gateways
    expect(collector.unanswered).toBeLessThanOrEqual(5);
    collector.isDeaf = false;
  });

  test('five planted faults raise their alerts', async () => {
    const { fleet, gateway, sandboxes } = deployment;
    const faults = {
      BerthHandlerFails: 'writes of instances fail in the handler',
      BerthRoleDown: 'a gateway is stopped',
      BerthRunnerSilent: 'a runner is killed',
      BerthOutboxStuck: 'Restate is away',
      BerthClickHouseFails: 'ClickHouse is away',
    };
    const before = await deployment.firing();
    expect(Object.keys(faults).filter((name) => before.has(name))).toEqual([]);

    await sql`create function refuse() returns trigger language plpgsql as $$ begin raise 'planted'; end $$`.execute(
      fleet.database,
    );
    await sql`create trigger planted before insert on instances for each row execute function refuse()`.execute(
      fleet.database,
    );
    await sandboxes.machine.runner.kill();
    await fleet.clickhouse.kill();
    await gateway.process.stop();
    const client = clientOf(fleet);
    await client.get('/observability/logs');
    await client.post('/agents', agent('stuck', { generation: 'mk2' }));
    await expect.poll(async () => (await deployment.firing()).has('BerthHandlerFails'), { timeout: 60_000 }).toBe(true);
    await fleet.restate.kill();
    await client.post('/agents', agent('waits', { generation: 'mk2' }));
    await expect
      .poll(async () => [...(await deployment.firing())].filter((name) => name in faults).toSorted(), {
        timeout: 90_000,
      })
      .toEqual(Object.keys(faults).toSorted());
  });
});
