// concurrent requests for one name have one winner, and no request gets a name conflict with a sandbox that does
// not exist.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../../tests/harness/client.ts';
import { seededRandom } from '../../../tests/harness/seeded-random.ts';
import { seed } from '../../../tests/harness/size.ts';
import { ApiWithFakeRunners, named } from './api-with-fake-runners.ts';

let deployment: ApiWithFakeRunners;
let runnerId: string;
beforeAll(async () => {
  deployment = await ApiWithFakeRunners.start({ config: { createWaitSeconds: 0.05 } });
  ({ id: runnerId } = await deployment.addRunner({ waiting: 30 }));
});
afterAll(() => deployment[Symbol.asyncDispose]());

const create = (name: string, query: Record<string, boolean> = {}) =>
  deployment.api.admin.post('/sandboxes', named(name), { query });
const remove = (name: string) => deployment.api.admin.delete(`/sandboxes/${name}`);
const read = (name: string) => deployment.api.admin.get(`/sandboxes/${name}`);
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();
const live = async (name: string) =>
  deployment.api.database
    .selectFrom('resources')
    .select('uid')
    .where('name', '=', name)
    .where('terminated_at', 'is', null)
    .execute();

/** The counters and limits must equal the rows. */
async function expectBooksToBalance(): Promise<void> {
  const { database } = deployment.api;
  const { count } = await database
    .selectFrom('resources')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('kind', '=', 'sandbox')
    .where('terminated_at', 'is', null)
    .executeTakeFirstOrThrow();
  const counted = await database.selectFrom('resource_counts').select('live').where('kind', '=', 'sandbox').execute();
  expect(counted).toEqual([{ live: Number(count) }]);
  const used = await database
    .selectFrom('quota_usage')
    .select('used')
    .where('resource_type', '=', 'sandboxes')
    .execute();
  expect(used).toEqual([{ used: Number(count) }]);
  const { reserved_mb } = await database
    .selectFrom('runners')
    .select('reserved_mb')
    .where('id', '=', runnerId)
    .executeTakeFirstOrThrow();
  const held = await database
    .selectFrom('instances')
    .select(({ fn }) => fn.sum<number>('reserved_mb').as('mb'))
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  expect(reserved_mb).toBe(Number(held.mb));
}

/** A live sandbox has at most one instance that should run, and a terminated one has none. */
async function expectOneInstanceEach(): Promise<void> {
  const running = await deployment.api.database
    .selectFrom('instances')
    .leftJoin('resources', 'resources.uid', 'instances.resource_uid')
    .select(['instances.resource_uid', 'resources.terminated_at'])
    .where('pool', 'is', null)
    .where('desired', '=', 'running')
    .execute();
  expect(running.filter(({ terminated_at }) => terminated_at !== null)).toEqual([]);
  expect(new Set(running.map(({ resource_uid }) => resource_uid)).size).toBe(running.length);
}

test('10 parallel creates of one name have one winner; the others are told 409 with a reason, and can read it', async () => {
  for (let round = 0; round < 5; round += 1) {
    const name = `raced-${round}`;
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const answer = await create(name);
        return { answer, seen: await read(name) };
      }),
    );
    expect(statuses(answers.map(({ answer }) => answer))).toEqual([200, ...Array(9).fill(409)]);
    for (const { answer, seen } of answers) {
      expect(seen.status).toBe(200);
      if (answer.status === 409) expect(answer.body.code).toBe('SANDBOX_ALREADY_EXISTS');
    }
    const reasons = answers.flatMap(({ answer }) => answer.body.reason ?? []);
    expect(new Set(reasons)).toEqual(new Set(reasons.length > 0 ? ['CREATION_IN_PROGRESS'] : []));
    expect(await live(name)).toHaveLength(1);
  }
  await expectBooksToBalance();
  await expectOneInstanceEach();
});

test('a create that lost to one still under way says CREATION_IN_PROGRESS', async () => {
  // The test locks the winner's counter row, so that the winner waits before its commit.
  const { database } = deployment.api;
  const held = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  const holding = database.transaction().execute(async (tx) => {
    await tx.selectFrom('resource_counts').select('live').where('kind', '=', 'sandbox').forUpdate().execute();
    isHeld.resolve();
    await held.promise;
  });
  await isHeld.promise;
  const waiting = async () => {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database);
    return rows.length;
  };
  const winner = create('under-way');
  await expect.poll(waiting).toBe(1);
  const loser = create('under-way');
  await expect.poll(waiting).toBe(2);
  expect((await read('under-way')).status).toBe(404);
  held.resolve();
  await holding;
  expect((await winner).status).toBe(200);
  const { status, body } = await loser;
  expect([status, body.code, body.reason]).toEqual([409, 'SANDBOX_ALREADY_EXISTS', 'CREATION_IN_PROGRESS']);
  expect((await read('under-way')).status).toBe(200);
});

test('create during delete: it either comes too early and is told so, or gets a sandbox of its own', async () => {
  for (let round = 0; round < 20; round += 1) {
    const name = `reborn-${round % 4}`;
    await create(name);
    const [removed, created] = await Promise.all([remove(name), create(name)]);
    expect([200, 404]).toContain(removed.status);
    expect([200, 409]).toContain(created.status);
    expect((await read(name)).status).toBe(200);
    expect((await live(name)).length).toBeLessThanOrEqual(1);
  }
  await expectBooksToBalance();
});

test('delete during create: a sandbox created before the delete is gone, one created after it is complete', async () => {
  for (let round = 0; round < 20; round += 1) {
    const name = `brief-${round}`;
    const [created, removed] = await Promise.all([create(name), remove(name)]);
    expect(created.status).toBe(200);
    expect([200, 404]).toContain(removed.status);
    expect(await live(name)).toHaveLength(removed.status === 200 ? 0 : 1);
    expect((await read(name)).body.status).toMatch(removed.status === 200 ? /TERMINATED/ : /DEPLOY/);
  }
  await expectBooksToBalance();
  await expectOneInstanceEach();
});

test('500 random interleavings of create, createIfNotExist, delete, change and read over a few names', {
  timeout: 240_000,
}, async () => {
  console.info(`BERTH_TEST_SEED=${seed}`);
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const names = ['one', 'two', 'three'].map((word) => `mixed-${word}`);
  const steps: Record<string, (name: string) => Promise<Answer>> = {
    create: (name) => create(name),
    createIfNotExist: (name) => create(name, { createIfNotExist: true }),
    delete: remove,
    change: (name) =>
      deployment.api.admin.put(
        `/sandboxes/${name}`,
        named(name, { runtime: { envs: [{ name: 'A', value: String(random()) }] } }),
      ),
    read,
  };
  const allowed: Record<string, readonly number[]> = {
    create: [200, 409],
    createIfNotExist: [200],
    delete: [200, 404],
    change: [200, 404],
    read: [200, 404],
  };
  for (let round = 0; round < 100; round += 1) {
    const asked = Array.from({ length: 5 }, () => ({
      step: pick(Object.keys(steps)),
      name: pick(names),
      waitMs: random() * 15,
    }));
    const told = `seed ${seed}, round ${round}: ${JSON.stringify(asked)}`;
    const answers = await Promise.all(
      asked.map(async ({ step, name, waitMs }) => {
        await sleep(waitMs);
        const answer = await steps[step]?.(name);
        // A name conflict is reported only for a sandbox that exists.
        if (answer?.status === 409) expect((await read(name)).status, told).toBe(200);
        return { step, name, answer };
      }),
    );
    for (const { step, answer } of answers) expect(allowed[step], `${told} ${answer?.text}`).toContain(answer?.status);
    for (const name of names) expect((await live(name)).length, told).toBeLessThanOrEqual(1);
    if (round % 10 === 0) await deployment.addWaiting(runnerId);
  }
  await expectOneInstanceEach();
});
