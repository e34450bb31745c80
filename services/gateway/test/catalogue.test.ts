// The catalogue: complete, updated soon after a change, and usable while PostgreSQL is away.
import { setTimeout as sleep } from 'node:timers/promises';
import { createNotifier, routesChannel } from '@berth/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabaseLine } from '../../../tests/harness/database-line.ts';
import { createWorkloadCache, type WorkloadCacheOptions } from '../src/routing/workload-cache.ts';
import { type ApiWithWorkloads, byPath, silent, startApiWithWorkloads } from './api-with-workloads.ts';
import { countStatements } from './count-statements.ts';

let workloads: ApiWithWorkloads;
beforeAll(async () => {
  workloads = await startApiWithWorkloads();
});
afterAll(() => workloads[Symbol.asyncDispose]());

/** Counts its queries. With `deaf` it receives no notices. */
function open(options: Partial<WorkloadCacheOptions> & { deaf?: boolean } = {}) {
  const { deaf = false, ...rest } = options;
  const { database, count } = countStatements(options.database ?? workloads.database, 'with found as');
  const catalogue = createWorkloadCache({
    // No server listens on port 1.
    databaseUrl: deaf ? 'postgres://nobody@127.0.0.1:1/none' : workloads.api.databaseUrl,
    logger: silent,
    ...rest,
    database,
  });
  return { find: catalogue.find, queries: count, [Symbol.asyncDispose]: catalogue.close };
}

describe('a workload', () => {
  test('is found by path, by the id of its workspace and by its host, with all that serving it needs', async () => {
    const { uid, revision } = await workloads.deploy('whole', {
      public: true,
      revision: { canaryPercent: 10, stickySessionTtl: 60 },
    });
    const canary = 'rev-canary';
    await sql`update resources set spec = jsonb_set(spec, '{revision,canary}', ${JSON.stringify(canary)}::jsonb)
      where uid = ${uid}`.execute(workloads.database);
    const runner = await workloads.addRunner();
    const first = await workloads.addInstance(uid, revision, runner);
    const second = await workloads.addInstance(uid, canary, runner);
    await workloads.addInstance(uid, 'rev-older', runner);
    await workloads.addInstance(uid, revision, runner, 'starting');
    const ended = await workloads.addInstance(uid, revision, runner);
    const leaving = await workloads.addInstance(uid, revision, runner);
    await sql`update instances set ended_at = now() where id = ${ended}`.execute(workloads.database);
    await sql`update instances set desired = 'gone' where id = ${leaving}`.execute(workloads.database);
    const lost = await workloads.addRunner();
    await workloads.addInstance(uid, revision, lost);
    await sql`update runners set status = 'lost' where id = ${lost}`.execute(workloads.database);
    const workspace = await workloads.database
      .selectFrom('workspaces')
      .select('id')
      .where('name', '=', 'main')
      .executeTakeFirstOrThrow();

    await using catalogue = open();
    const ingress = { address: '10.0.0.9:7000', secret: 'secret' };
    const expected = {
      uid,
      kind: 'agent',
      name: 'whole',
      workspaceId: workspace.id,
      workspace: 'main',
      isPublic: true,
      isEnabled: true,
      isFailed: false,
      traffic: { active: revision, canary, canaryPercent: 10, stickySeconds: 60 },
      endpoints: [
        { instance: first, revision, runnerId: runner, ingress },
        { instance: second, revision: canary, runnerId: runner, ingress },
      ].sort((a, b) => (a.instance < b.instance ? -1 : 1)),
      ports: [],
      isAway: false,
      endsInMs: undefined,
    };
    expect(await catalogue.find(byPath('whole'))).toEqual(expected);
    expect(await catalogue.find(byPath('whole', workspace.id))).toEqual(expected);
    const host = { by: 'host', region: 'local', label: 'agt-whole-main', path: '/' } as const;
    expect(await catalogue.find(host)).toEqual(expected);
    expect(await catalogue.find({ ...host, region: 'elsewhere' })).toBeUndefined();
  });

  test('that does not exist, goes, is of another kind or cannot have that name is not found', async () => {
    const { uid } = await workloads.deploy('leaving');
    await sql`update resources set status = 'DELETING' where uid = ${uid}`.execute(workloads.database);
    await using catalogue = open();
    for (const named of [
      byPath('leaving'),
      byPath('nobody'),
      byPath('nobody', 'no-such-workspace'),
      byPath('leaving', 'main', 'function'),
    ]) {
      expect(await catalogue.find(named)).toBeUndefined();
    }
    const asked = catalogue.queries();
    const odd = [
      byPath('%61'),
      byPath(''),
      byPath("'"),
      byPath('A'),
      byPath('a', 'MAIN'),
      byPath('a', 'x'.repeat(90_000)),
    ];
    for (const named of odd) expect(await catalogue.find(named)).toBeUndefined();
    expect(catalogue.queries()).toBe(asked);
  });
});

describe('a change is seen', () => {
  test('within a second without any notice', async () => {
    const { uid, revision } = await workloads.deploy('unheard');
    const runner = await workloads.addRunner();
    let clock = 0;
    await using catalogue = open({ deaf: true, now: () => clock });
    expect((await catalogue.find(byPath('unheard')))?.endpoints).toEqual([]);
    expect(await catalogue.find(byPath('unheard-too'))).toBeUndefined();
    await workloads.addInstance(uid, revision, runner);
    await workloads.deploy('unheard-too');
    clock = 999;
    expect((await catalogue.find(byPath('unheard')))?.endpoints).toHaveLength(1);
    expect(await catalogue.find(byPath('unheard-too'))).toBeDefined();
  });

  test('at once after a notice, and nothing else is asked for again', async () => {
    const { uid, revision } = await workloads.deploy('heard');
    await workloads.deploy('bystander');
    const early = await workloads.deploy('heard-early');
    const runner = await workloads.addRunner();
    const notify = createNotifier(workloads.database, routesChannel);
    // A stopped clock: nothing expires by itself.
    await using catalogue = open({ now: () => 0 });
    // The listener reports a change of everything once when it connects. Only a notice after that counts.
    await catalogue.find(byPath('heard-early'));
    await expect
      .poll(async () => {
        notify(early.uid);
        await catalogue.find(byPath('heard-early'));
        return catalogue.queries();
      })
      .toBeGreaterThan(1);
    await catalogue.find(byPath('heard'));
    await catalogue.find(byPath('bystander'));
    await catalogue.find(byPath('heard-of'));
    await workloads.addInstance(uid, revision, runner);
    expect((await catalogue.find(byPath('heard')))?.endpoints).toHaveLength(0);
    const asked = catalogue.queries();
    notify(uid);
    await expect.poll(async () => (await catalogue.find(byPath('heard')))?.endpoints.length).toBe(1);
    await catalogue.find(byPath('bystander'));
    expect(catalogue.queries()).toBe(asked + 1);

    // Writes of the api send notices too, and a missing workload may exist now.
    await workloads.deploy('heard-of');
    await expect.poll(() => catalogue.find(byPath('heard-of'))).toBeDefined();

    const before = catalogue.queries();
    notify('');
    await expect
      .poll(async () => {
        await catalogue.find(byPath('bystander'));
        return catalogue.queries();
      })
      .toBeGreaterThan(before);
  });
});

test('concurrent lookups of a workload share one query, and no lookup repeats it while the answer is fresh', async () => {
  await workloads.deploy('popular');
  let clock = 0;
  await using catalogue = open({ deaf: true, now: () => clock });
  const found = await Promise.all(Array.from({ length: 200 }, () => catalogue.find(byPath('popular'))));
  expect(new Set(found.map((workload) => workload?.name))).toEqual(new Set(['popular']));
  expect(catalogue.queries()).toBe(1);
  clock = 799;
  await catalogue.find(byPath('popular'));
  expect(catalogue.queries()).toBe(1);
  clock = 800;
  await catalogue.find(byPath('popular'));
  expect(catalogue.queries()).toBe(2);
});

test('the first lookup of a workload waits for a slow answer', async () => {
  await workloads.deploy('slowly-found');
  await using catalogue = open();
  const { promise: asked } = await workloads.database.transaction().execute(async (tx) => {
    await sql`lock table resources in access exclusive mode`.execute(tx);
    const promise = catalogue.find(byPath('slowly-found'));
    // Longer than the time limit of a query for which a cached result can stand in.
    await sleep(1_100);
    return { promise };
  });
  expect(await asked).toMatchObject({ name: 'slowly-found' });
});

describe('while PostgreSQL is away', () => {
  test.each(['cut', 'silent'] as const)('(%s) what is known is served for a minute, the rest is 503', async (state) => {
    const name = `kept-${state}`;
    await workloads.deploy(name);
    await using line = await openDatabaseLine(workloads.api.databaseUrl);
    let clock = 0;
    await using catalogue = open({ database: line.database, databaseUrl: line.url, now: () => clock });
    await catalogue.find(byPath(name));
    await catalogue.find(byPath('missing'));
    line.become(state);
    clock = 30_000;
    expect(await catalogue.find(byPath(name))).toMatchObject({ name });
    // Once PostgreSQL is known to be away, no further query is sent.
    const asked = catalogue.queries();
    for (let round = 0; round < 100; round += 1) expect(await catalogue.find(byPath(name))).toMatchObject({ name });
    expect(catalogue.queries()).toBe(asked);
    const unavailable = expect.objectContaining({ code: 'PLATFORM_UNAVAILABLE' });
    clock = 61_000;
    await Promise.all(
      ['missing', 'never-asked', name].map((each) => expect(catalogue.find(byPath(each))).rejects.toEqual(unavailable)),
    );
    line.become('open');
    await expect
      .poll(
        () => {
          clock += 1_000;
          return catalogue.find(byPath(name));
        },
        { timeout: 30_000 },
      )
      .toMatchObject({ name });
  });
});
