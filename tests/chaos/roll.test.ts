// Revisions are swapped, and gateways and the runner are restarted as in an upgrade (SIGTERM), all under load. A
// client that repeats only requests that were certainly not dispatched sees no failure, and every answer is of a
// revision that was active.
// Full size only. The small size proves the parts: a revision takes over without a failed request (e2e/inference), a
// gateway that stops finishes its streams (also e2e/inference), a runner that stops finishes its tunnels
// (e2e/runner-ingress).
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import { buildEchoImage } from '../harness/echo-image.ts';
import { type Mixed, mixedRequest, wordOf } from '../harness/mixed-requests.ts';
import { PatientClient } from '../harness/patient-client.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { isFull, seed } from '../harness/size.ts';
import type { Tried } from '../harness/try-once.ts';
import { agent, clientOf, settled } from '../harness/workloads.ts';

const swaps = 20;
const requests = 20_000;
/** Beside every `gatewayEvery`-th swap a gateway is restarted, beside every `runnerEvery`-th the runner. */
const gatewayEvery = 3;
const runnerEvery = 5;
const callers = 32;
const longestPauseMs = 500;
const limitMs = 60_000;
/** Maximum time until a change is known everywhere. */
const newsMs = 1_000;
const random = seededRandom(seed);

interface Era {
  readonly word: string;
  readonly from: number;
  until: number;
}

interface Tenant {
  readonly workspace: string;
  readonly eras: Era[];
}

interface Totals {
  readonly byShape: Record<Mixed['shape'], number>;
  readonly byWord: Map<string, number>;
  readonly failures: string[];
  readonly swapsAt: number[];
  acrossSwaps: number;
  slowestMs: number;
}

const wasActive = ({ eras }: Tenant, word: string, startedAt: number, endedAt: number): boolean =>
  eras.some((era) => era.word === word && era.from <= endedAt && startedAt <= era.until + newsMs);

function faultOf(tenant: Tenant, mixed: Mixed, tried: Tried, startedAt: number): string | undefined {
  if (tried.end !== 'answer') return JSON.stringify(tried);
  if (tried.status !== 200) return `${tried.status} ${tried.body.toString().slice(0, 300)}`;
  const word = wordOf(tried);
  if (!wasActive(tenant, word, startedAt, Date.now())) return `"${word}" was not active`;
  return mixed.fault(tried);
}

async function call(fleet: Fleet, client: PatientClient, tenant: Tenant, totals: Totals): Promise<void> {
  const mixed = mixedRequest({ workspace: tenant.workspace, key: fleet.key, random });
  const startedAt = Date.now();
  const tried = await client.send(mixed, limitMs);
  const fault = faultOf(tenant, mixed, tried, startedAt);
  totals.byShape[mixed.shape] += 1;
  if (tried.end === 'answer') totals.byWord.set(wordOf(tried), (totals.byWord.get(wordOf(tried)) ?? 0) + 1);
  if (totals.swapsAt.some((at) => startedAt < at && at < Date.now())) totals.acrossSwaps += 1;
  totals.slowestMs = Math.max(totals.slowestMs, Date.now() - startedAt);
  if (fault !== undefined)
    totals.failures.push(
      `${new Date().toISOString()} ${tenant.workspace} ${mixed.shape} after ${Date.now() - startedAt} ms: ${fault}`,
    );
}

/** Deploys the next revision of a tenant's agent; every third one runs two instances. */
async function swap(fleet: Fleet, image: string, tenant: Tenant, totals: Totals): Promise<void> {
  const number = tenant.eras.length + 1;
  const word = `${tenant.workspace}-${number}`;
  const minScale = number % 3 === 0 ? 2 : 1;
  const client = clientOf(fleet, tenant.workspace);
  const before = tenant.eras.at(-1);
  tenant.eras.push({ word, from: Date.now(), until: Number.POSITIVE_INFINITY });
  const wanted = agent('echo', { image, generation: 'mk2', memory: 256, minScale, env: { WORD: word } });
  const { status, body } = await (before === undefined
    ? client.post('/agents', wanted)
    : client.put('/agents/echo', wanted));
  if (status !== 200) throw new Error(JSON.stringify(body));
  await settled(client, '/agents/echo', ['DEPLOYED'], 120_000);
  totals.swapsAt.push(Date.now());
  if (before !== undefined) before.until = Date.now();
}

/**
 * Sends SIGTERM, waits for the end, and starts a new process at the same address. Returns how long the old one took
 * to end.
 */
async function restart(process: Fleet['api']): Promise<number> {
  const startedAt = Date.now();
  await process.stop();
  const tookMs = Date.now() - startedAt;
  await process.start();
  return tookMs;
}

async function roll(fleet: Fleet, image: string, tenants: readonly Tenant[], totals: Totals) {
  const stops: { readonly gateway: number[]; readonly runner: number[] } = { gateway: [], runner: [] };
  for (let number = 1; number <= swaps; number += 1) {
    const work: Promise<void>[] = [];
    const tenant = tenants[number % tenants.length];
    if (tenant !== undefined) work.push(swap(fleet, image, tenant, totals));
    const gateway = fleet.gateways[Math.floor(number / gatewayEvery) % fleet.gateways.length]?.process;
    const runner = fleet.machines[0]?.runner;
    await sleep(random() * 1_000);
    if (number % gatewayEvery === 0 && gateway !== undefined)
      work.push(restart(gateway).then((ms) => void stops.gateway.push(ms)));
    if (number % runnerEvery === 0 && runner !== undefined)
      work.push(restart(runner).then((ms) => void stops.runner.push(ms)));
    await Promise.all(work);
    await sleep(1_000 + random() * 1_000);
  }
  return stops;
}

test(`nothing is lost in ${swaps} swaps and restarts (seed ${seed})`, {
  timeout: 1_200_000,
  skip: !isFull,
}, async () => {
  await using fleet = await startFleet({ name: 'roll', workspaces: ['red', 'blue'], machines: 1, gateways: 2 });
  const image = await buildEchoImage(fleet.machines[0]?.dockerUrl ?? '');
  const tenants: Tenant[] = ['red', 'blue'].map((workspace) => ({ workspace, eras: [] }));
  const totals: Totals = {
    byShape: { get: 0, post: 0, stream: 0, upload: 0 },
    byWord: new Map(),
    failures: [],
    swapsAt: [],
    acrossSwaps: 0,
    slowestMs: 0,
  };
  for (const tenant of tenants) await swap(fleet, image, tenant, totals);
  totals.swapsAt.length = 0;

  const client = new PatientClient(fleet.gateways.map(({ url }) => url));
  const count = () => Object.values(totals.byShape).reduce((sum, each) => sum + each, 0);
  const startedAt = Date.now();
  let isRolled = false;
  const load = Array.from({ length: callers }, async (_, caller) => {
    const tenant = tenants[caller % tenants.length];
    while (tenant !== undefined && (!isRolled || count() < requests)) {
      await call(fleet, client, tenant, totals);
      await sleep(random() * longestPauseMs);
    }
  });
  const stops = await roll(fleet, image, tenants, totals).finally(() => {
    isRolled = true;
  });
  await Promise.all(load);
  client.close();

  const seconds = (Date.now() - startedAt) / 1_000;
  console.log(
    [
      `seed ${seed}: ${count()} requests in ${seconds.toFixed(0)} s (${JSON.stringify(totals.byShape)}), ${totals.failures.length} failures`,
      `${totals.swapsAt.length} swaps, ${totals.acrossSwaps} requests under way across one, ${totals.byWord.size} revisions answered`,
      `sent again: ${JSON.stringify(client.retries)}; slowest request ${totals.slowestMs} ms`,
      `stops in ms: ${JSON.stringify(stops)}`,
    ].join('\n'),
  );
  expect(totals.failures.slice(0, 20), `seed ${seed}`).toEqual([]);
  expect(count()).toBeGreaterThanOrEqual(requests);
  expect(totals.acrossSwaps).toBeGreaterThan(0);
  expect([...totals.byWord.keys()].sort()).toEqual(tenants.flatMap(({ eras }) => eras.map(({ word }) => word)).sort());
  expect(Math.min(stops.gateway.length, stops.runner.length)).toBeGreaterThan(0);
});
