// Cost of the gateway (key check, routing, headers, metrics and a log line), beside two nginx that only forward bytes.
import type { Bench, Measure } from './bench.ts';
import { type BenchTargets, startBenchTargets } from './gateway/bench-targets.ts';
import { busyShare } from './gateway/cpu-time.ts';
import { type Latency, latency } from './gateway/latency.ts';
import { load, type Target, type Throughput } from './gateway/load.ts';
import { median, rounded } from './support/statistics.ts';

interface Way {
  readonly name: string;
  readonly way: 'lease' | 'tunnel';
  /**
   * Two hops of nginx are two processes. So are a gateway and its runner; where the runner
   * only lends a lease, two gateways.
   */
  readonly gateways: number;
  readonly atLeast: number;
}

const keys = ['ours', 'nginx', 'bare'] as const;
type Key = (typeof keys)[number];

const ways: readonly Way[] = [
  { name: 'shared machine', way: 'lease', gateways: 2, atLeast: 0.5 },
  { name: 'tunnel', way: 'tunnel', gateways: 1, atLeast: 0.4 },
];

export const gateway: Bench = {
  name: 'gateway',
  about:
    'requests through gateway and runner with key check / nginx twice, to one container of nginx answering 305 bytes; 32 connections',
  async *run({ full }) {
    const length = full ? { rounds: 7, seconds: 5 } : { rounds: 3, seconds: 1 };
    await using targets = await startBenchTargets();
    // Other load on the machine affects the slower side more: with much of it only the CPU figures are reliable.
    const busy = await busyShare(1_000);
    for (const way of ways) yield* measure(targets, way, length);
    yield { name: 'share of the machine that was busy before', value: busy, unit: 'x' };
  },
};

async function* measure(
  { machine, bare, nginx, startGateways }: BenchTargets,
  { name, way, gateways, atLeast }: Way,
  { rounds, seconds }: { rounds: number; seconds: number },
): AsyncGenerator<Measure> {
  const targets = { ours: await startGateways(gateways, way), nginx, bare };
  const figures: Record<Key, Throughput[]> = { ours: [], nginx: [], bare: [] };
  // A new process needs some 15 000 requests until its code is optimised; before that a request costs twice as much.
  await load(machine, targets.ours, 8, gateways);
  await load(machine, nginx, 1, gateways);
  // In turns, so that a busy moment of the machine affects all of them.
  for (let round = 0; round < rounds; round += 1)
    for (const key of keys) figures[key].push(await load(machine, targets[key], seconds, gateways));
  const rate = (key: Key): number => median(figures[key].map(({ perSecond }) => perSecond));
  const cpu = (key: Key): number => median(figures[key].map(({ cpuUs }) => cpuUs));
  const ratios = figures.ours.map(({ perSecond }, at) => perSecond / (figures.nginx[at]?.perSecond ?? Number.NaN));
  yield {
    name: `${name}: ours / nginx twice`,
    value: median(ratios),
    unit: 'x',
    bound: { atLeast },
    detail: {
      ours: Math.round(rate('ours')),
      nginx: Math.round(rate('nginx')),
      bare: Math.round(rate('bare')),
      ratios: ratios.map(rounded).join(' '),
    },
  };
  yield { name: `${name}: CPU a request, gateway and runner`, value: cpu('ours'), unit: 'µs' };
  yield { name: `${name}: CPU a request, nginx twice`, value: cpu('nginx'), unit: 'µs' };
  yield* added(machine, name, targets, { perSecond: rate('ours') / 2, rounds, seconds });
}

/** Latency added to the container's own at the same rate, beside the latency that nginx adds. */
async function* added(
  machine: BenchTargets['machine'],
  name: string,
  targets: Readonly<Record<Key, Target>>,
  { perSecond, rounds, seconds }: { perSecond: number; rounds: number; seconds: number },
): AsyncGenerator<Measure> {
  const times: Record<Key, Latency[]> = { ours: [], nginx: [], bare: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const key of keys) times[key].push(await latency(machine, targets[key], perSecond, seconds));
  for (const [share, atMost] of [
    ['p50', 1],
    ['p99', 5],
  ] as const) {
    const [ours, nginx, bare] = keys.map((key) => median(times[key].map((each) => each[share])));
    yield {
      name: `${name}: added ${share} at half load, against the container called directly`,
      value: (ours ?? Number.NaN) - (bare ?? Number.NaN),
      unit: 'ms',
      bound: { atMost },
      detail: {
        perSecond: Math.round(perSecond),
        ours: rounded(ours ?? Number.NaN),
        nginx: rounded(nginx ?? Number.NaN),
        bare: rounded(bare ?? Number.NaN),
      },
    };
  }
}
