// Many open streams through gateway and runner: the memory of a stream, the memory of a reader that does not read, and
// the cleanup after clients that went away.
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { buildImage } from '../engines/build-image.ts';
import { type Fleet, startFleet } from '../engines/fleet/fleet.ts';
import { agent, clientOf, settled } from '../tests/harness/workloads.ts';
import type { Bench, Measure } from './bench.ts';
import { Clients } from './streams/clients.ts';
import { grown, type Memory, memoryOf, together } from './streams/memory.ts';
import { rounded } from './support/statistics.ts';

const image = 'berth-streams:latest';
const eventPauseMs = 5_000;
const warmUp = 400;

export const streams: Bench = {
  name: 'streams',
  about: 'open SSE streams over two gateway and two ingress processes: RSS a stream, slow readers, aborted clients',
  async *run({ full }) {
    await using fleet = await startFleet({
      name: 'bench-streams',
      workspaces: ['main'],
      machines: 1,
      gateways: 2,
      gatewaysShareOnePort: true,
      settings: { BERTH_RUNNER_INGRESS_PROCESSES: '2' },
    });
    await deployAgent(fleet);
    using clients = new Clients(full ? 4 : 2);
    const stage = { fleet, clients, full };
    yield* holdStreams(stage);
    yield* stallReaders(stage);
    yield* abortClients(stage);
  },
};

type Stage = { readonly fleet: Fleet; readonly clients: Clients; readonly full: boolean };

async function* holdStreams({ fleet, clients, full }: Stage): AsyncIterable<Measure> {
  const count = full ? 10_000 : 1_000;
  const seconds = full ? 60 : 10;
  // Code is compiled, and caches and TLS sessions exist, before anything is measured.
  await clients.open(streamsOf(fleet, warmUp));
  await clients.leave();
  await untilIdle(fleet);
  const before = await memoryOf(fleet);
  const startedAt = performance.now();
  await clients.open(streamsOf(fleet, count));
  const openingSeconds = (performance.now() - startedAt) / 1_000;
  const held = await maxMemory(fleet, seconds);
  const report = await clients.count();
  const each = (kib: number) => kib / count;
  const cost = grown(before, held);
  yield { name: 'gateways, RSS growth a stream', value: each(cost.gateways), unit: 'KiB' };
  yield { name: 'runner and its ingress, RSS growth a stream', value: each(cost.runners), unit: 'KiB' };
  yield {
    name: 'together',
    value: each(together(cost)),
    unit: 'KiB',
    bound: { atMost: 80 },
    detail: {
      streams: count,
      heldSeconds: seconds,
      openingSeconds: rounded(openingSeconds),
      restMib: rounded(together(before) / 1024),
      allMib: rounded(together(held) / 1024),
      fewestEvents: report.fewestEvents,
    },
  };
  const quiet = report.fewestEvents < Math.floor((seconds * 1_000) / eventPauseMs) - 1 ? count : 0;
  yield {
    name: 'streams that broke or went silent',
    value: count - report.open + quiet,
    unit: 'streams',
    bound: { atMost: 0 },
  };
  await clients.leave();
  await untilIdle(fleet);
}

/** The workload writes as fast as it can, to clients that have stopped reading. */
async function* stallReaders({ fleet, clients }: Stage): AsyncIterable<Measure> {
  const count = 200;
  const before = await memoryOf(fleet);
  await clients.open({ ...streamsOf(fleet, count), path: '/main/agents/stream/flood', reads: false });
  await sleep(5_000);
  const early = await memoryOf(fleet);
  await sleep(10_000);
  const late = await memoryOf(fleet);
  const stalled = grown(before, early);
  const { open } = await clients.count();
  yield {
    name: 'RSS growth for each reader that does not read',
    value: together(stalled) / open,
    unit: 'KiB',
    // Wide: it only tells bounded buffers from an endless answer that is kept. The next
    // figure checks that it does not grow.
    bound: { atMost: 2_048 },
    detail: {
      readers: open,
      gatewaysMib: rounded(stalled.gateways / 1024),
      runnersMib: rounded(stalled.runners / 1024),
    },
  };
  yield {
    name: 'further growth in ten more seconds',
    value: together(grown(early, late)) / 1024,
    unit: 'MiB',
    bound: { atMost: 16 },
  };
  await clients.leave();
  await untilIdle(fleet);
}

async function* abortClients({ fleet, clients }: Stage): AsyncIterable<Measure> {
  const count = 1_000;
  await clients.open(streamsOf(fleet, count));
  const open = await openAtAgent(fleet);
  await clients.leave();
  const startedAt = performance.now();
  await untilIdle(fleet);
  yield {
    name: 'from the abort of all clients until the workload has no request',
    value: (performance.now() - startedAt) / 1_000,
    unit: 's',
    bound: { atMost: 5 },
    detail: { aborted: open },
  };
}

/**
 * Maximum over all samples while streams are held, taken separately for gateways and
 * runners: rather too high than too low.
 */
async function maxMemory(fleet: Fleet, seconds: number): Promise<Memory> {
  let most: Memory = { gateways: 0, runners: 0 };
  for (let second = 0; second < seconds; second += 1) {
    await sleep(1_000);
    const { gateways, runners } = await memoryOf(fleet);
    most = { gateways: Math.max(most.gateways, gateways), runners: Math.max(most.runners, runners) };
  }
  return most;
}

function streamsOf(fleet: Fleet, count: number) {
  const { hostname: host, port } = new URL(fleet.gateways[0]?.url ?? '');
  const path = `/main/agents/stream/events?pause=${eventPauseMs}`;
  return { host, port: Number(port), path, key: fleet.key, count, atATime: 40, reads: true };
}

async function openAtAgent(fleet: Fleet): Promise<number> {
  const answer = await fetch(`${fleet.gateways[0]?.url}/main/agents/stream/`, {
    headers: { authorization: `Bearer ${fleet.key}` },
  });
  return z.object({ open: z.int() }).parse(await answer.json()).open;
}

async function untilIdle(fleet: Fleet): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  while ((await openAtAgent(fleet)) > 0) {
    if (performance.now() > giveUpAt)
      throw new Error('streams of clients that are gone are still open at the workload');
    await sleep(50);
  }
}

async function deployAgent(fleet: Fleet): Promise<void> {
  const folder = dirname(fileURLToPath(new URL('./streams/agent/server.mjs', import.meta.url)));
  await buildImage(fleet.machines[0]?.dockerUrl ?? '', image, folder);
  const client = clientOf(fleet);
  await client.post('/agents', agent('stream', { image, generation: 'mk2', memory: 2048, minScale: 1, maxScale: 1 }));
  await settled(client, '/agents/stream', ['DEPLOYED']);
}
