// Requests to a model: key, policy, budget and price are checked and tokens counted, beside nginx that passes the same bytes
// to the same stand-in of a provider, and beside LiteLLM.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMb } from '../tests/harness/resident-mb.ts';
import type { Bench, Measure } from './bench.ts';
import { load, type Target, type Throughput } from './gateway/load.ts';
import { type ModelTargets, startModelTargets, streamedChat } from './models/model-targets.ts';
import { Clients } from './streams/clients.ts';
import { median, rounded } from './support/statistics.ts';

const keys = ['ours', 'nginx', 'litellm', 'bare'] as const;
type Key = (typeof keys)[number];

const gateways = 2;

export const models: Bench = {
  name: 'models',
  about:
    'chats of 1 KiB with all checks / nginx passing them on, and / LiteLLM with one worker; memory of open streams',
  async *run({ full }) {
    await using targets = await startModelTargets();
    yield* throughput(targets, full ? { rounds: 5, seconds: 4 } : { rounds: 2, seconds: 1 });
    yield* openStreams(targets, full ? { count: 2_000, seconds: 60 } : { count: 400, seconds: 5 });
  },
};

async function* throughput(
  { nginx, litellm, bare, startGateways }: ModelTargets,
  { rounds, seconds }: { rounds: number; seconds: number },
): AsyncGenerator<Measure> {
  const targets = { ours: await startGateways(gateways), nginx, litellm, bare };
  const figures: Record<Key, Throughput[]> = { ours: [], nginx: [], litellm: [], bare: [] };
  await warmUp(targets.ours);
  await load({}, litellm, 2, gateways);
  // In turns, so that a busy moment of the machine affects all of them.
  for (let round = 0; round < rounds; round += 1)
    for (const key of keys) figures[key].push(await load({}, targets[key], seconds, gateways));
  const rate = (key: Key): number => median(figures[key].map(({ perSecond }) => perSecond));
  const cpu = (key: Key): number => median(figures[key].map(({ cpuUs }) => cpuUs));
  const ratios = (other: Key): number[] =>
    figures.ours.map(({ perSecond }, at) => perSecond / (figures[other][at]?.perSecond ?? Number.NaN));
  const detail = Object.fromEntries(keys.map((key) => [key, Math.round(rate(key))]));
  for (const [other, atLeast] of [
    ['nginx', 0.3],
    ['litellm', 5],
  ] as const)
    yield {
      ...{ name: `requests a second: ours / ${other}`, value: median(ratios(other)), unit: 'x', bound: { atLeast } },
      detail: { ...detail, ratios: ratios(other).map(rounded).join(' ') },
    };
  for (const key of ['ours', 'nginx', 'litellm'] as const)
    yield { name: `CPU a request, ${key}`, value: cpu(key), unit: 'µs' };
}

/** A new process needs some 15 000 requests until its code is optimised. On a busy machine they take a while. */
const warmRequests = 15_000;
const maxWarmMs = 60_000;

async function warmUp(target: Target): Promise<void> {
  const [seconds, giveUpAt] = [4, performance.now() + maxWarmMs];
  for (let sent = 0; sent < warmRequests * gateways && performance.now() < giveUpAt; )
    sent += (await load({}, target, seconds, gateways)).perSecond * seconds;
}

const eventPauseMs = 5_000;

async function* openStreams(
  { startGateways }: ModelTargets,
  { count, seconds }: { count: number; seconds: number },
): AsyncGenerator<Measure> {
  const provider = spawn(
    process.execPath,
    [join(import.meta.dirname, 'models/stream-provider.ts'), String(eventPauseMs)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  try {
    const [port] = await once(provider.stdout, 'data');
    const target = await startGateways(1, `http://127.0.0.1:${String(port).trim()}`);
    const { hostname: host, port: own, pathname: path } = new URL(target.urls[0] ?? '');
    const place = { host, port: Number(own), path, key: target.key, body: streamedChat, atATime: 40, reads: true };
    const memoryKib = async () => (await residentMb(target.pids[0] ?? 0)) * 1024;
    using clients = new Clients(2);
    // Code is compiled, and connections exist, before anything is measured.
    await clients.open({ ...place, count: 200 });
    await clients.leave();
    await sleep(1_000);
    const before = await memoryKib();
    await clients.open({ ...place, count });
    let most = 0;
    for (let second = 0; second < seconds; second += 1) {
      await sleep(1_000);
      most = Math.max(most, await memoryKib());
    }
    const report = await clients.count();
    yield {
      name: `one of ${count} open streams, RSS of the gateway`,
      value: (most - before) / count,
      unit: 'KiB',
      bound: { atMost: 80 },
      detail: { restMib: rounded(before / 1024), allMib: rounded(most / 1024), fewestEvents: report.fewestEvents },
    };
    const broken = {
      name: 'streams that broke',
      value: count - report.open,
      unit: 'streams',
      bound: { atMost: 0 },
    } as const;
    yield broken;
    await clients.leave();
  } finally {
    provider.kill();
  }
}
