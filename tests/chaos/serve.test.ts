// Gateways, runner, api and PostgreSQL are killed (SIGKILL) at random under the load of two tenants. Each recovers
// without help: errors end soon, nothing stays wedged, and no tenant is ever answered by the other's agent.
import { randomInt } from 'node:crypto';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import { buildEchoImage } from '../harness/echo-image.ts';
import { metricsOf } from '../harness/metrics-of.ts';
import { mixedRequest, wordOf } from '../harness/mixed-requests.ts';
import { platformCode } from '../harness/platform-answer.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { isFull, seed } from '../harness/size.ts';
import { type Tried, tryOnce } from '../harness/try-once.ts';
import { agent, clientOf, settled } from '../harness/workloads.ts';

const victims = ['gateway', 'runner', 'api', 'postgres'] as const;
type Victim = (typeof victims)[number];

/** The small size kills each kind once. */
const lengthMs = isFull ? 120_000 : 0;
const leastKills = isFull ? 12 : victims.length;
/** Ends a wait for something that never heals. */
const endMs = 120_000;
/** Default of the gateway. */
const holdSeconds = 30;
/** A request waits for an instance and, if that one does not take it, for another. */
const limitMs = (2 * holdSeconds + 5) * 1_000;
const callersEach = isFull ? 5 : 2;
const longestPauseMs = 500;
const random = seededRandom(seed);

const words = { red: `red ${randomInt(2 ** 31)}`, blue: `blue ${randomInt(2 ** 31)}` };
type Tenant = keyof typeof words;
const tenants: readonly Tenant[] = ['red', 'blue'];
const gateways = 2;
const callers = tenants.length * gateways * callersEach;

interface Outage {
  readonly victim: Victim;
  readonly killedAt: number;
  readonly backAt: number;
  /** When every caller had been answered well again, with a request that it sent after `backAt`. */
  readonly healedAt: number;
}

interface Fault {
  readonly from: number;
  readonly at: number;
  readonly kind: string;
}

interface Totals {
  answered: number;
  readonly spans: { readonly from: number; readonly to: number }[];
  sent: number;
  readonly faults: Fault[];
  /** Time at which each caller sent its last request that was answered well. */
  readonly served: Map<string, number>;
  /** Failures that must never happen, outage or not. */
  readonly scandals: string[];
}

async function deploy(fleet: Fleet): Promise<void> {
  const image = await buildEchoImage(fleet.machines[0]?.dockerUrl ?? '');
  for (const tenant of tenants) {
    const client = clientOf(fleet, tenant);
    await client.post(
      '/agents',
      agent('echo', { image, generation: 'mk2', memory: 256, env: { WORD: words[tenant] } }),
    );
    await settled(client, '/agents/echo', ['DEPLOYED']);
  }
}

/** Undefined if the request was answered well. */
function judge(tenant: Tenant, fault: (answer: Extract<Tried, { end: 'answer' }>) => string | undefined, tried: Tried) {
  if (tried.end === 'late') return { kind: 'late', scandal: `a request was not answered within ${limitMs} ms` };
  if (tried.end !== 'answer') return { kind: tried.end };
  if (tried.status === 200) {
    if (wordOf(tried) !== words[tenant]) return { kind: 'wrong tenant', scandal: `${tenant} got "${wordOf(tried)}"` };
    const wrong = fault(tried);
    return wrong === undefined ? undefined : { kind: 'wrong answer', scandal: wrong };
  }
  const code = platformCode(tried);
  if (code === undefined)
    return { kind: 'no body', scandal: `${tried.status} ${JSON.stringify(tried.headers)} ${tried.body}` };
  return { kind: `${tried.status} ${code}` };
}

interface Caller {
  readonly name: string;
  readonly tenant: Tenant;
  readonly url: string;
}

async function call(fleet: Fleet, { name, tenant, url }: Caller, connections: Agent, totals: Totals): Promise<void> {
  const mixed = mixedRequest({ workspace: tenant, key: fleet.key, random });
  const startedAt = Date.now();
  totals.sent += 1;
  const verdict = judge(tenant, mixed.fault, await tryOnce(connections, url, mixed, limitMs));
  totals.answered += 1;
  totals.spans.push({ from: startedAt, to: Date.now() });
  if (verdict === undefined) return void totals.served.set(name, startedAt);
  totals.faults.push({ from: startedAt, at: Date.now(), kind: verdict.kind });
  if (verdict.scandal !== undefined) totals.scandals.push(verdict.scandal);
}

/** Waits until every caller is served by a request that it sent after `backAt`. */
async function untilHealed(backAt: number, { served }: Totals): Promise<number> {
  const isServed = () => served.size === callers && [...served.values()].every((from) => from >= backAt);
  for (const giveUpAt = Date.now() + endMs; !isServed() && Date.now() < giveUpAt; ) await sleep(20);
  if (!isServed()) throw new Error(`seed ${seed}: not every caller is served ${endMs} ms after a start`);
  return Date.now();
}

/** Kills every kind of victim in turn, in a random order; the next one only when the last has healed. */
async function killAndStart(fleet: Fleet, totals: Totals): Promise<Outage[]> {
  const outages: Outage[] = [];
  const endAt = Date.now() + lengthMs;
  let waiting: Victim[] = [];
  while (Date.now() < endAt || outages.length < leastKills) {
    if (waiting.length === 0) waiting = shuffled(victims);
    const victim = waiting.pop() ?? 'gateway';
    const target = targetOf(fleet, victim);
    const killedAt = Date.now();
    await target.kill();
    await sleep(random() * 3_000);
    await target.start();
    const backAt = Date.now();
    outages.push({ victim, killedAt, backAt, healedAt: await untilHealed(backAt, totals) });
    await sleep(2_000 + random() * 1_000);
  }
  return outages;
}

function targetOf(fleet: Fleet, victim: Victim): { kill(): Promise<void>; start(): Promise<void> } {
  if (victim === 'postgres' || victim === 'api') return fleet[victim];
  const gateway = fleet.gateways[Math.floor(random() * fleet.gateways.length)]?.process;
  const chosen = victim === 'runner' ? fleet.machines[0]?.runner : gateway;
  if (chosen === undefined) throw new Error(`there is no ${victim}`);
  return chosen;
}

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item);

/**
 * For each outage, up to the next kill: its errors, those of them that came after it had healed, and how long callers
 * that were waiting at its end had to wait on.
 */
function healing(outages: readonly Outage[], { faults, spans }: Totals) {
  return outages.map((outage, index) => {
    const until = outages[index + 1]?.killedAt ?? Number.POSITIVE_INFINITY;
    const own = faults.filter(({ at }) => at >= outage.killedAt && at < until);
    const relapses = own.filter(({ from }) => from > outage.healedAt);
    const healedMs = Math.max(0, ...own.map(({ at }) => at - outage.backAt));
    const waited = spans.filter(({ from, to }) => from < outage.backAt && to > outage.backAt);
    const caughtUpMs = Math.max(0, ...waited.map(({ to }) => to - outage.backAt));
    const meanwhile = spans.filter(({ from, to }) => from > outage.killedAt && to < outage.backAt).length;
    return { ...outage, healedMs, relapses, caughtUpMs, meanwhile, kinds: own.map(({ kind }) => kind) };
  });
}

const tally = (names: readonly string[]): string =>
  [...new Set(names)].map((name) => `${name} ${names.filter((each) => each === name).length}`).join(', ') || 'none';

function print(healed: ReturnType<typeof healing>, { answered, spans }: Totals): void {
  console.log(
    `seed ${seed}: ${answered} requests, slowest ${Math.max(...spans.map(({ from, to }) => to - from))} ms, ${healed.length} kills`,
  );
  for (const victim of victims) {
    const own = healed.filter((outage) => outage.victim === victim);
    const worst = Math.max(0, ...own.map(({ healedMs }) => healedMs));
    const caughtUp = Math.max(0, ...own.map(({ caughtUpMs }) => caughtUpMs));
    const meanwhile = own.reduce((sum, outage) => sum + outage.meanwhile, 0);
    console.log(
      `${victim}: ${own.length} kills, ${meanwhile} ended meanwhile, errors until ${worst} ms and waiting until ${caughtUp} ms after the start; errors: ${tally(own.flatMap(({ kinds }) => kinds))}`,
    );
  }
}

/** Gauges of gateways and runner that are not zero, by name; empty once nothing is under way. */
async function leftovers(fleet: Fleet): Promise<string[]> {
  const [machine] = fleet.machines;
  const read = async (url: string) => machine?.inside('curl', '--silent', '--max-time', '5', url) ?? '';
  const logs = fleet.gateways.map((_, index) => join(fleet.folder, `gateway-${index + 1}.log`));
  const pages = await Promise.all([
    ...logs.map((log) => metricsOf(log)),
    metricsOf(join(fleet.folder, `runner-${machine?.name}.log`), read),
  ]);
  const gauges = /^berth_(gateway_requests_in_flight|gateway_upstream_connections|runner_ingress_connections)\b/;
  const found = pages.flatMap((page) => [...page].filter(([name]) => gauges.test(name)));
  // Two gauges of each gateway, and tunnels and leases of the runner: a missing gauge must not look like one at zero.
  if (found.length !== fleet.gateways.length * 2 + 2) return [`only ${found.map(([name]) => name)}`];
  return found.filter(([, value]) => value !== 0).map(([name, value]) => `${name} ${value}`);
}

test(`crashes heal by themselves and wedge nothing (seed ${seed})`, { timeout: 600_000 }, async () => {
  await using fleet = await startFleet({ name: 'serve', workspaces: ['red', 'blue'], machines: 1, gateways });
  await deploy(fleet);
  const totals: Totals = { sent: 0, answered: 0, spans: [], faults: [], served: new Map(), scandals: [] };
  const connections = new Agent({ keepAlive: true });
  let isOver = false;
  const load = tenants.flatMap((tenant) =>
    fleet.gateways.flatMap(({ url }) =>
      Array.from({ length: callersEach }, async (_, number) => {
        const caller = { name: `${tenant} ${url} ${number}`, tenant, url };
        while (!isOver) {
          await call(fleet, caller, connections, totals);
          await sleep(random() * longestPauseMs);
        }
      }),
    ),
  );
  await untilHealed(Date.now(), totals);
  const early = [...totals.faults];
  const outages = await killAndStart(fleet, totals).finally(() => {
    isOver = true;
  });
  await Promise.all(load);
  connections.destroy();

  const healed = healing(outages, totals);
  print(healed, totals);
  expect(totals.scandals.slice(0, 10), `seed ${seed}`).toEqual([]);
  expect(early).toEqual([]);
  expect(totals.answered).toBe(totals.sent);
  expect(
    healed.filter(({ relapses }) => relapses.length > 0),
    `seed ${seed}`,
  ).toEqual([]);
  // PostgreSQL and the api are not in the path of a request: known callers do not notice an outage, and do not wait
  // for its end.
  for (const { victim, kinds, meanwhile } of healed) {
    if (victim !== 'postgres' && victim !== 'api') continue;
    expect([victim, kinds]).toEqual([victim, []]);
    expect(meanwhile).toBeGreaterThan(0);
  }
  await expect.poll(() => leftovers(fleet), { timeout: endMs, interval: 500 }).toEqual([]);
});
