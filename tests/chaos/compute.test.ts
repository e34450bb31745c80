// Every process of the service is killed at random while deployments are in flight. Afterwards everything converges:
// no resource is stuck, the containers are those of the instance rows and no others, and every event is legal and in
// order.
import { setTimeout as sleep } from 'node:timers/promises';
import { mayFollow } from '@berth/contract';
import { expect, test } from 'vitest';
import { callDocker } from '../../engines/docker-api.ts';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { isFull, seed } from '../harness/size.ts';
import { agent } from '../harness/workloads.ts';

const deployments = isFull ? 100 : 10;
/** The small size kills each process once. */
const kills = isFull ? 50 : 7;
/** Ends a wait for something that never converges. */
const convergeMs = 180_000;
const random = seededRandom(seed);
const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ item }) => item);

type Target = { readonly name: string; kill(): Promise<void>; start(): Promise<void> };

const targetsOf = (fleet: Fleet): readonly Target[] => [
  { name: 'api', kill: () => fleet.api.kill(), start: () => fleet.api.start() },
  { name: 'orchestrator', kill: () => fleet.orchestrator.kill(), start: () => fleet.orchestrator.start() },
  ...fleet.machines.map(({ name, runner }) => ({ name, kill: () => runner.kill(), start: () => runner.start() })),
  fleet.restate,
  fleet.clickhouse,
  fleet.postgres,
];

/**
 * Repeats a request until it is answered: a killed process is being started again. A conflict means that an earlier
 * try arrived.
 */
async function requestUntilTaken(fleet: Fleet, method: string, path: string, body?: object): Promise<void> {
  const deadline = Date.now() + convergeMs;
  for (;;) {
    const status = await fetch(`${fleet.url}/v0${path}`, {
      method,
      headers: { authorization: `Bearer ${fleet.key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    }).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200 || status === 404 || status === 409) return;
    if (Date.now() > deadline) {
      const log = fleet.api.isRunning ? '' : `; the api has ended, saying:\n${await fleet.api.logEnd()}`;
      throw new Error(`${method} ${path} was answered ${status} to the end${log}`);
    }
    await sleep(200);
  }
}

/** Makes one deployment, and maybe a change or a delete of this or an earlier one right after it. */
async function deployOne(fleet: Fleet, index: number, wanted: Set<string>): Promise<void> {
  const name = `work-${index}`;
  const earlier = `work-${Math.floor(random() * (index + 1))}`;
  const what = random();
  await requestUntilTaken(fleet, 'POST', '/agents', agent(name, { generation: 'mk2' }));
  wanted.add(name);
  if (!wanted.has(earlier)) return;
  if (what < 0.25) {
    const changed = agent(earlier, { generation: 'mk2', env: { ROUND: String(index) } });
    await requestUntilTaken(fleet, 'PUT', `/agents/${earlier}`, changed);
  } else if (what < 0.45) {
    wanted.delete(earlier);
    await requestUntilTaken(fleet, 'DELETE', `/agents/${earlier}`);
  }
}

/**
 * Half of the deployments are on their way before the first kill. The others follow in shares, one beside each kill.
 */
async function deployUnderKills(fleet: Fleet): Promise<{ wanted: Set<string>; killed: string[] }> {
  const wanted = new Set<string>();
  const killed: string[] = [];
  let next = 0;
  const deployUpTo = async (count: number): Promise<void> => {
    while (next < count) {
      next += 1;
      await deployOne(fleet, next - 1, wanted);
    }
  };
  await deployUpTo(deployments / 2);
  let writing: Promise<void> = Promise.resolve();
  let waiting: Target[] = [];
  for (let round = 1; round <= kills; round += 1) {
    const share = deployments / 2 + Math.round((deployments / 2) * (round / kills));
    writing = writing.then(() => deployUpTo(share));
    // Each target gets its turn, in a random order: chance must not leave one out.
    if (waiting.length === 0) waiting = shuffled(targetsOf(fleet));
    const target = waiting.pop();
    if (target === undefined) throw new Error('nothing to kill');
    await target.kill();
    await sleep(random() * 500);
    await target.start();
    killed.push(target.name);
    await sleep(random() * 300);
  }
  await writing;
  return { wanted, killed };
}

interface Container {
  readonly Labels: Readonly<Record<string, string>>;
  readonly State: string;
}

async function containersOf(fleet: Fleet): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { dockerUrl } of fleet.machines) {
    const listed: Container[] = JSON.parse((await callDocker(dockerUrl, 'GET /containers/json?all=1')).body.toString());
    for (const { Labels, State } of listed) {
      const instance = Labels['berth.instance'];
      if (instance !== undefined) found.set(instance, State);
    }
  }
  return found;
}

/** Differences from the wanted state; empty once everything has converged. */
async function faults(fleet: Fleet, wanted: ReadonlySet<string>): Promise<string[]> {
  const resources = await fleet.database
    .selectFrom('resources')
    .select(['uid', 'name', 'status'])
    .where('kind', '=', 'agent')
    .execute();
  const instances = await fleet.database
    .selectFrom('instances')
    .select(['id', 'resource_uid', 'desired', 'state', 'runner_id', 'reserved_mb'])
    .where('ended_at', 'is', null)
    .execute();
  const runners = await fleet.database.selectFrom('runners').select(['id', 'reserved_mb', 'name']).execute();
  const containers = await containersOf(fleet);
  const reservedOn = (id: string): number =>
    instances.filter(({ runner_id }) => runner_id === id).reduce((sum, { reserved_mb }) => sum + reserved_mb, 0);
  return [
    ...[...wanted].filter((name) => !resources.some((row) => row.name === name)).map((name) => `${name} is missing`),
    ...resources.filter(({ name }) => !wanted.has(name)).map(({ name, status }) => `${name} is still there, ${status}`),
    ...resources.filter(({ status }) => status !== 'DEPLOYED').map(({ name, status }) => `${name} is ${status}`),
    ...resources
      .filter(({ uid }) => instances.filter((row) => row.resource_uid === uid && row.state === 'ready').length !== 1)
      .map(({ name }) => `${name} has not exactly one ready instance`),
    ...instances.filter(({ desired }) => desired === 'gone').map(({ id }) => `instance ${id} should be gone`),
    ...instances
      .filter(({ id }) => containers.get(id) !== 'running')
      .map(({ id }) => `instance ${id} has no container`),
    ...[...containers.keys()]
      .filter((id) => !instances.some((row) => row.id === id))
      .map((id) => `container ${id} has no row`),
    ...runners
      .filter(({ id, reserved_mb }) => reserved_mb !== reservedOn(id))
      .map(({ name, id, reserved_mb }) => `${name} reserves ${reserved_mb}, its instances ${reservedOn(id)}`),
  ];
}

test(`${deployments} deployments survive ${kills} kills (seed ${seed})`, { timeout: 900_000 }, async () => {
  await using fleet = await startFleet({
    name: 'chaos',
    workspaces: ['main'],
    machines: 2,
    settings: { BERTH_RUNNER_MEMORY_MB: '16384' },
  });
  const { wanted, killed } = await deployUnderKills(fleet);
  expect(new Set(killed)).toEqual(new Set(targetsOf(fleet).map(({ name }) => name)));

  const startedAt = Date.now();
  let left = await faults(fleet, wanted);
  while (left.length > 0 && Date.now() - startedAt < convergeMs) {
    await sleep(500);
    left = await faults(fleet, wanted);
  }
  console.log(`${killed.length} kills (${tally(killed)}), converged after ${(Date.now() - startedAt) / 1000} s`);
  expect(left, `seed ${seed}`).toEqual([]);

  const events = await fleet.database
    .selectFrom('resource_events')
    .select(['resource_uid', 'status', 'time', 'id', 'message'])
    .orderBy('resource_uid')
    .orderBy('id')
    .execute();
  const illegal = events.flatMap((event, index) => {
    const before = events[index - 1];
    if (before?.resource_uid !== event.resource_uid || before.status === null || event.status === null) return [];
    const inOrder = before.time.getTime() <= event.time.getTime();
    return mayFollow(before.status, event.status) && inOrder ? [] : [`${before.status} → ${event.status}`];
  });
  expect(illegal).toEqual([]);
});

const tally = (names: readonly string[]): string =>
  [...new Set(names)].map((name) => `${name} ${names.filter((each) => each === name).length}`).join(', ');
