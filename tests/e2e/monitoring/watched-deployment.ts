// A deployment that Prometheus scrapes and whose spans are collected, with traffic of every kind that dashboards show.
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { Fleet, FleetGateway } from '../../../engines/fleet/fleet.ts';
import { startPrometheus } from '../../../engines/prometheus.ts';
import { runFolder } from '../../../engines/run.ts';
import { wireAddresses } from '../../../engines/wire.ts';
import { healthUrl } from '../../harness/metrics-of.ts';
import { SandboxMachine } from '../../harness/sandbox-machine.ts';
import { type SpanCollector, startSpanCollector } from '../../harness/span-collector.ts';

export const monitoringFolder = resolve(import.meta.dirname, '../../../deploy/monitoring');

const Result = z.object({
  data: z.object({
    result: z.array(z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]) })),
  }),
});

export interface WatchedDeployment extends AsyncDisposable {
  readonly sandboxes: SandboxMachine;
  readonly fleet: Fleet;
  readonly collector: SpanCollector;
  /** Outside the machine: it reaches instances through tunnels. */
  readonly gateway: FleetGateway;
  /** Values of an instant query. */
  query(expr: string): Promise<{ readonly labels: Readonly<Record<string, string>>; readonly value: number }[]>;
  firing(): Promise<Set<string>>;
}

export async function startWatchedDeployment(): Promise<WatchedDeployment> {
  await using made = new AsyncDisposableStack();
  const collector = made.use(await startSpanCollector());
  const [outside] = wireAddresses(1);
  const sandboxes = made.use(
    await SandboxMachine.start({
      ...{ name: 'monitoring', isolation: 'runc', pool: 1 },
      settings: {
        BERTH_HEALTH_HOST: '0.0.0.0',
        BERTH_TELEMETRY_OTLP_URL: `http://${outside}:${collector.port}`,
        BERTH_TELEMETRY_OTLP_HEADERS: '{authorization: "Bearer collector-secret"}',
      },
    }),
  );
  const { fleet } = sandboxes;
  const gateway = await fleet.startGateway();
  const folder = await runFolder(`prometheus-${process.pid}`);
  await writeRules(folder);
  await writeFile(join(folder, 'prometheus.yaml'), stringify(await scrapeConfig(sandboxes)));
  const prometheus = made.adopt(await startPrometheus(folder), (running) => running.stop());

  async function get(path: string): Promise<unknown> {
    const response = await fetch(`${prometheus.url}/api/v1/${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
  const kept = made.move();
  return {
    ...{ sandboxes, fleet, collector, gateway },
    async query(expr) {
      const { data } = Result.parse(await get(`query?query=${encodeURIComponent(expr)}`));
      return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
    },
    async firing() {
      const { data } = Alerts.parse(await get('alerts'));
      return new Set(data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const Alerts = z.object({
  data: z.object({
    alerts: z.array(z.object({ state: z.string(), labels: z.looseObject({ alertname: z.string() }) })),
  }),
});

const Rules = z.object({
  groups: z.array(z.looseObject({ rules: z.array(z.looseObject({ for: z.string() })) })),
});

/** The rules as they are delivered, except that no alert waits. */
async function writeRules(folder: string): Promise<void> {
  const { groups } = Rules.parse(parse(await readFile(join(monitoringFolder, 'rules.yaml'), 'utf8')));
  const hasty = groups.map((group) => ({ ...group, rules: group.rules.map((rule) => ({ ...rule, for: '0s' })) }));
  await writeFile(join(folder, 'rules.yaml'), stringify({ groups: hasty }));
}

const Example = z.looseObject({ scrape_configs: z.array(z.object({ job_name: z.string() })) });

/** The example as it is delivered, with the addresses of this deployment and short intervals. */
async function scrapeConfig({ fleet, machine }: SandboxMachine) {
  const example = Example.parse(parse(await readFile(join(monitoringFolder, 'prometheus.yaml'), 'utf8')));
  const at = async (host: string, log: string): Promise<string> =>
    `${host}:${new URL(await healthUrl(join(fleet.folder, log))).port}`;
  const targets: Readonly<Record<string, readonly string[]>> = {
    'berth-api': [await at('127.0.0.1', 'api.log')],
    'berth-orchestrator': [await at('127.0.0.1', 'orchestrator.log')],
    'berth-gateway': [await at(machine.address, 'gateway-1.log'), await at('127.0.0.1', 'gateway-2.log')],
    'berth-runner': [await at(machine.address, `runner-${machine.name}.log`)],
  };
  return {
    ...example,
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    scrape_configs: example.scrape_configs.map(({ job_name }) => ({
      job_name,
      static_configs: [{ targets: targets[job_name] }],
    })),
  };
}
