import { randomUUID } from 'node:crypto';
import { defaultBrand } from '@berth/contract';
import type { IsolationClass } from '@berth/contract/node';
import { connect, type Database, uuidv7 } from '@berth/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../engines/test-database.ts';
import { PlacementConfig } from '../config.ts';
import type { ChosenImage } from '../images/choose-image.ts';
import { type PoolSpec, poolKeyOf } from '../spec/pool-key.ts';
import { warmInstanceSpec, warmReservedMb } from '../spec/sandbox-instance.ts';
import { SandboxSpec } from '../spec/sandbox-spec.ts';
import { claimWarm, commitClaim, RoomTaken } from './claim-warm.ts';

const [accountId, workspaceId] = [randomUUID(), randomUUID()];
let home: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
beforeAll(async () => {
  home = await createTestDatabase();
  database = connect({ url: home.url, maxConnections: 20 });
  await sql`insert into accounts (id, display_name, owner_email, plan, tier)
    values (${accountId}, 'A', 'a@example.com', 'p', 't')`.execute(database);
  await sql`insert into workspaces (id, account_id, name, status, created_by, updated_by)
    values (${workspaceId}, ${accountId}, 'acme', 'ready', 'x', 'x')`.execute(database);
});
afterAll(async () => {
  await database.destroy();
  await home.drop();
});
beforeEach(async () => {
  for (const table of ['instances', 'runners', 'outbox'] as const) await database.deleteFrom(table).execute();
});

const sandboxes = { defaultImage: 'base:1' };
const settings = { placement: PlacementConfig.parse({ sandboxes, runcFor: 'everything' }), brand: defaultBrand };
const strict = { ...settings, placement: PlacementConfig.parse({ sandboxes }) };

interface RunnerWish {
  readonly waiting?: number;
  readonly isolation?: IsolationClass;
  readonly memoryMb?: number;
  readonly isPressed?: boolean;
  readonly status?: string;
  readonly region?: string;
  readonly state?: string;
  readonly image?: Pick<PoolSpec, 'image' | 'imageSource'>;
}

async function addRunner(wish: RunnerWish = {}): Promise<string> {
  const { waiting = 1, isolation = 'runc', memoryMb = 1_000_000, status = 'up', region = 'eu', state = 'ready' } = wish;
  const id = randomUUID();
  await sql`insert into runners (id, name, region, status, isolation, memory_mb, reserved_mb, is_pressed)
    values (${id}, ${id}, ${region}, ${status}, ${[isolation]}, ${memoryMb}, ${waiting * warmReservedMb},
      ${wish.isPressed === true})`.execute(database);
  const warm = warmInstanceSpec({ image: 'base:1', ...wish.image, isolation, memoryMb: 4096 }, settings);
  for (let index = 0; index < waiting; index += 1)
    await sql`insert into instances (id, runner_id, pool, revision, spec, reserved_mb, state)
      values (${uuidv7()}, ${id}, ${poolKeyOf(warm)}, 'warm', ${JSON.stringify(warm)}, ${warmReservedMb}, ${state})`.execute(
      database,
    );
  return id;
}

const base: ChosenImage = { image: 'base:1', source: { origin: 'deployment' } };

interface ClaimWish {
  readonly uid?: string;
  readonly image?: ChosenImage;
  readonly workspaceId?: string;
  readonly limits?: Record<string, number>;
  readonly under?: typeof settings;
}

const claim = (
  spec: object = {},
  { uid = uuidv7(), image = base, workspaceId: owner = workspaceId, limits = {}, under = settings }: ClaimWish = {},
) =>
  database.transaction().execute(async (tx) => {
    const result = await claimWarm(
      tx,
      {
        sandbox: { uid, name: 'box', workspace: { id: owner, name: 'acme' } },
        spec: SandboxSpec.parse(spec),
        image,
        region: 'eu',
        random: Math.random,
      },
      under,
    );
    if (result.claimed !== undefined) await commitClaim(tx, result.claimed, accountId, { limits, tiers: {} });
    return result;
  });
const reservedOf = async (id: string): Promise<number> =>
  (await database.selectFrom('runners').select('reserved_mb').where('id', '=', id).executeTakeFirstOrThrow())
    .reserved_mb;

test('a claimed warm sandbox belongs to its owner: outside the pool, second generation, first boot, its memory reserved', async () => {
  const runner = await addRunner({ waiting: 2 });
  const uid = uuidv7();
  const { claimed } = await claim({ runtime: { envs: [{ name: 'A', value: 'b' }], memory: 2048 } }, { uid });
  expect(claimed).toMatchObject({ generation: 2, revision: 'boot-1', runner: { id: runner } });
  const row = await database
    .selectFrom('instances')
    .selectAll()
    .where('id', '=', claimed?.id ?? '')
    .executeTakeFirstOrThrow();
  expect(row).toMatchObject({ resource_uid: uid, pool: null, generation: 2, revision: 'boot-1', reserved_mb: 256 });
  expect(row.spec).toEqual(claimed?.spec);
  expect(row.spec.env).toContainEqual({ name: 'A', value: 'b' });
  expect(await reservedOf(runner)).toBe(warmReservedMb + 256);
  expect(await database.selectFrom('outbox').select(['topic', 'key']).execute()).toEqual([
    { topic: 'pool', key: runner },
  ]);
});

test('200 concurrent creates over 150 warm sandboxes never claim the same one, and the reservations add up', async () => {
  const runners = await Promise.all([60, 50, 40].map((waiting) => addRunner({ waiting })));
  const results = await Promise.all(Array.from({ length: 200 }, () => claim()));
  const ids = results.flatMap(({ claimed }) => claimed?.id ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength(150);
  for (const id of runners) {
    const { rows } = await sql<{ sum: number }>`
      select coalesce(sum(reserved_mb), 0)::int as sum from instances where runner_id = ${id}`.execute(database);
    expect(await reservedOf(id)).toBe(rows[0]?.sum);
  }
});

test.for<[string, RunnerWish]>([
  ['pressed', { isPressed: true }],
  ['lost', { status: 'lost' }],
  ['in another region', { region: 'us' }],
  ['without room for the rest of its memory', { memoryMb: 100 }],
  ['still starting it', { state: 'starting' }],
])('a runner that is %s has no sandbox claimed', async ([, wish]) => {
  await addRunner(wish);
  expect((await claim()).claimed).toBeUndefined();
});

test('a sandbox that cannot use a warm one claims none, and the result says whether a new one may start', async () => {
  await addRunner();
  expect(await claim({ volumes: [{ name: 'v' }] })).toEqual({ claimed: undefined, mayStart: true });
  const other: ChosenImage = { ...base, image: 'other:1' };
  expect(await claim({}, { image: other })).toEqual({ claimed: undefined, mayStart: true });
  expect(await claim({ runtime: { memory: 100_000_000 } })).toEqual({ claimed: undefined, mayStart: false });
});

test('where a runner has gVisor, a warm sandbox under runc is not claimed', async () => {
  await addRunner();
  await addRunner({ isolation: 'gvisor', waiting: 0 });
  expect(await claim()).toEqual({ claimed: undefined, mayStart: true });
  expect((await claim({ runtime: { generation: 'mk2' } })).claimed?.spec.isolation).toBe('runc');
});

test.for([{}, { generation: 'mk2' }])(
  'a sandbox with %o is never given one that waits on runc where sandboxes have to run under gVisor',
  async (runtime) => {
    await addRunner({ waiting: 2 });
    expect(await claim({ runtime }, { under: strict })).toEqual({ claimed: undefined, mayStart: false });
    const gvisor = await addRunner({ isolation: 'gvisor' });
    const { claimed } = await claim({ runtime }, { under: strict });
    expect([claimed?.runner.id, claimed?.spec.isolation]).toEqual([gvisor, 'gvisor']);
  },
);

test('while the runners with gVisor are away, a warm sandbox under runc is not claimed instead', async () => {
  await addRunner();
  await addRunner({ isolation: 'gvisor', status: 'lost' });
  expect(await claim()).toEqual({ claimed: undefined, mayStart: false });
});

test('under gVisor a claim needs the memory that the sandbox was started with; under runc any size fits', async () => {
  const gvisor = await addRunner({ isolation: 'gvisor' });
  expect((await claim({ runtime: { memory: 2048 } })).claimed).toBeUndefined();
  expect((await claim()).claimed?.runner.id).toBe(gvisor);
});

test('a warm sandbox that another transaction has locked is skipped', async () => {
  const runner = await addRunner({ waiting: 2 });
  const [first] = await database.selectFrom('instances').select('id').orderBy('created_at').limit(1).execute();
  await database.transaction().execute(async (tx) => {
    await tx
      .selectFrom('instances')
      .select('id')
      .where('id', '=', first?.id ?? '')
      .forUpdate()
      .execute();
    const { claimed } = await claim();
    expect(claimed?.runner.id).toBe(runner);
    expect(claimed?.id).not.toBe(first?.id);
  });
});

test('of ten claims for a runner’s last memory one succeeds, and the others have to retry', async () => {
  const runner = await addRunner({ waiting: 10, memoryMb: 11 * warmReservedMb + 512 });
  const settled = await Promise.allSettled(Array.from({ length: 10 }, () => claim()));
  const claimed = settled.filter((each) => each.status === 'fulfilled' && each.value.claimed !== undefined);
  const refused = settled.filter((each) => each.status === 'rejected');
  expect(claimed).toHaveLength(1);
  expect(refused.every(({ reason }) => reason instanceof RoomTaken)).toBe(true);
  expect((await claim()).claimed).toBeUndefined();
  const { rows } = await sql<{ sum: number }>`
    select sum(reserved_mb)::int as sum from instances where runner_id = ${runner}`.execute(database);
  expect(await reservedOf(runner)).toBe(rows[0]?.sum);
});

test('concurrent claims never exceed the account’s limit, and the refusal names the limit', async () => {
  const runner = await addRunner({ waiting: 20 });
  const outcomes = async (limits: Record<string, number>) => {
    const settled = await Promise.allSettled(Array.from({ length: 20 }, () => claim({}, { limits })));
    const reasons = settled.flatMap((each) => (each.status === 'rejected' ? [String(each.reason.message)] : []));
    const claimed = settled.filter((each) => each.status === 'fulfilled' && each.value.claimed !== undefined).length;
    return { claimed, reasons: [...new Set(reasons)] };
  };
  // A sandbox of 4096 MB reserves an eighth of its memory.
  expect(await outcomes({ memory_mb: 3 * 512 + 100 })).toEqual({
    claimed: 3,
    reasons: [expect.stringContaining('limit of 1636 for memory_mb')],
  });
  expect(await outcomes({ instances: 5 })).toEqual({
    claimed: 2,
    reasons: [expect.stringContaining('limit of 5 for instances')],
  });
  expect(await reservedOf(runner)).toBe(5 * 512 + 15 * warmReservedMb);
  // An ended instance frees its share at once, however it ended.
  await sql`update instances set ended_at = now() where id in (
    select id from instances where account_id = ${accountId} limit 1)`.execute(database);
  expect((await outcomes({ instances: 5 })).claimed).toBe(1);
});

test('a warm sandbox with a workspace’s private image is never claimed by another workspace', async () => {
  const [owner, stranger] = [randomUUID(), randomUUID()];
  const image: ChosenImage = { image: 'registry.example/owner/secret:1', source: { origin: 'outside' } };
  const imageSource = { ...image.source, workspaceId: owner };
  await addRunner({ image: { image: image.image, imageSource } });
  expect((await claim({}, { image, workspaceId: stranger })).claimed).toBeUndefined();
  expect((await claim({}, { image, workspaceId: owner })).claimed).toBeDefined();
});
