// Schedules of jobs on a test clock, with a real database and without Restate: tests call the handler's run themselves.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Database, uuidv7 } from '@berth/database';
import { writeCronTriggers } from '@berth/jobs';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '../../../engines/test-database.ts';
import { seededRandom } from '../../../tests/harness/seeded-random.ts';
import { seed } from '../../../tests/harness/size.ts';
import { dueSchedules } from '../src/triggers/due-schedules.ts';
import { type DueRun, startDue } from '../src/triggers/start-due.ts';
import { TestTimers } from './cron-engine.ts';
import { expectedTicks, firstState, jobSpec, type YearState, yearEnd, yearEvents, yearStart } from './cron-year.ts';
import { JobRecords } from './job-records.ts';
import { testDependencies } from './test-dependencies.ts';

const accountId = randomUUID();
const workspaceId = randomUUID();
let home: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
/** Its connections are killed in the middle of runs. */
let killed: Database;
let records: JobRecords;
beforeAll(async () => {
  home = await createTestDatabase();
  database = connect({ url: home.url, maxConnections: 8 });
  killed = connect({ url: home.url, maxConnections: 2, applicationName: 'killed', onIdleError: () => {} });
  records = new JobRecords(database);
  await sql`insert into accounts (id, display_name, owner_email, plan, tier)
    values (${accountId}, 'A', 'a@example.com', 'p', 't')`.execute(database);
  await sql`insert into workspaces (id, account_id, name, status, created_by, updated_by)
    values (${workspaceId}, ${accountId}, 'w', 'ready', 'x', 'x')`.execute(database);
});
afterAll(async () => {
  await killed?.destroy();
  await database?.destroy();
  await home?.drop();
});

let nowMs = yearStart;
const clock = async () => nowMs;
beforeEach(() => {
  nowMs = yearStart;
});

const run = (uid: string, limits = {}, on = database): Promise<DueRun> =>
  startDue(testDependencies(on, { limits: { limits, tiers: {} } }), uid, clock);

async function writeJob(uid: string, spec: object): Promise<void> {
  const text = JSON.stringify(spec);
  await database.transaction().execute(async (tx) => {
    await sql`
      insert into resources (uid, workspace_id, kind, name, spec, created_by, updated_by, search)
      values (${uid}, ${workspaceId}, 'job', ${uid}, ${text}, 'x', 'x', 'x')
      on conflict (uid) do update set spec = excluded.spec`.execute(tx);
    await sql`
      insert into revisions (resource_uid, id, number, spec, status, created_by)
      select ${uid}, 'rev-' || count(*), count(*) + 1, ${text}, 'DEPLOYED', 'x' from revisions
      where resource_uid = ${uid}`.execute(tx);
    await writeCronTriggers(tx, { uid, workspaceId, spec: JSON.parse(text) }, clock);
  });
}

async function createJob(configuration: object, runtime: object = {}): Promise<string> {
  const uid = uuidv7();
  await writeJob(uid, { runtime, triggers: [{ id: 'nightly', type: 'cron', enabled: true, configuration }] });
  return uid;
}

const executionsOf = (uid: string) =>
  database.selectFrom('executions').selectAll().where('job_uid', '=', uid).orderBy('created_at').execute();

const ticksOf = async (uid: string): Promise<string[]> =>
  (await executionsOf(uid)).map(({ message_id }) => message_id ?? '').toSorted();

const schedulesOf = (uid: string) =>
  database.selectFrom('cron_triggers').selectAll().where('resource_uid', '=', uid).orderBy('trigger_id').execute();

const disturbances = 200;

test('a year of schedules fires every tick once, none while disabled, and one after a downtime', async () => {
  console.info(`BERTH_TEST_SEED=${seed}`);
  const random = seededRandom(seed);
  const events = yearEvents(random);
  const uid = uuidv7();
  const timers = new TestTimers();
  let state: YearState = firstState;
  let resyncAt = Number.POSITIVE_INFINITY;
  let disturbed = 0;

  const attempt = async (): Promise<void> => timers.arm((await run(uid)).timers, nowMs);
  const waysToDisturb = [
    async () => {
      for (const each of await Promise.all([run(uid), run(uid), run(uid)])) timers.arm(each.timers, nowMs);
    },
    async () => {
      const dying = run(uid, {}, killed).catch(() => undefined);
      await sleep(random() * 8);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'killed'`.execute(
        database,
      );
      await dying;
      await attempt();
    },
    // Killed after its commit: the engine repeats the run.
    async () => {
      await run(uid);
      await attempt();
    },
    async () => {
      if (random() < 0.5) await run(uid);
      timers.loseEverything();
      resyncAt = nowMs + random() * 4_000;
    },
  ];
  const wake = async (): Promise<void> => {
    // Not every run, so that undisturbed ones stay in all parts of the year.
    const way = random() < 0.8 && disturbed < disturbances ? waysToDisturb[disturbed % 4] : undefined;
    if (way !== undefined) disturbed += 1;
    await (way ?? attempt)();
  };
  const searchLostWork = async (): Promise<void> => {
    const found = await dueSchedules(clock).page(database, undefined, 100);
    const next = Math.min(...(await schedulesOf(uid)).flatMap(({ next_at }) => next_at?.getTime() ?? []));
    resyncAt = found.length > 0 ? Number.POSITIVE_INFINITY : Math.max(nowMs + 120_000, next - random() * 590_000);
    if (found.length > 0) await attempt();
  };

  await writeJob(uid, jobSpec(state));
  timers.send(nowMs);
  for (const event of [...events, { at: yearEnd, change: (last: YearState) => last }]) {
    while (state.down === 0 && Math.min(timers.next(), resyncAt) < event.at) {
      nowMs = Math.max(nowMs, Math.min(timers.next(), resyncAt)) + Math.floor(random() * 10_000);
      if (nowMs >= event.at) nowMs = event.at - 1;
      if (timers.take(nowMs)) await wake();
      else await searchLostWork();
    }
    nowMs = event.at;
    const before = state;
    state = event.change(state);
    if (before.isDeleted || JSON.stringify(before) === JSON.stringify(state)) continue;
    if (state.isDeleted) await sql`delete from resources where uid = ${uid}`.execute(database);
    else if (before.down === state.down) await writeJob(uid, jobSpec(state));
    else continue;
    timers.send(nowMs);
  }

  expect({ seed, ticks: await ticksOf(uid) }).toEqual({ seed, ticks: expectedTicks(events) });
  expect({ seed, disturbed, schedules: await schedulesOf(uid) }).toEqual({
    seed,
    disturbed: disturbances,
    schedules: [],
  });
  expect(await records.wrongExecutions()).toEqual([]);
}, 240_000);

test('an execution has the tasks, the retries and the timeout of its trigger', async () => {
  const callback = { callbackUrl: 'https://hooks.example.com/done', callbackSecret: { $sealed: 'x' } };
  const configuration = { schedule: '0 4 * * *', tasks: [{ a: 1 }, { a: 2 }], retry: 3, timeout: 60, ...callback };
  const uid = await createJob(configuration, { image: 'example/job:1', memory: 256, maxRetries: 1, timeout: 900 });
  nowMs = Date.UTC(2028, 0, 1, 4, 0, 1);
  expect((await run(uid)).ticks).toMatchObject([{ triggerId: 'nightly', outcome: 'started' }]);
  const [execution] = await executionsOf(uid);
  expect(execution).toMatchObject({
    status: 'queued',
    message_id: 'cron:nightly:2028-01-01T04:00Z',
    created_by: 'trigger:nightly',
    spec: { maxRetries: 3, timeoutSeconds: 60, job: { runtime: { image: 'example/job:1' } } },
    trigger: { id: 'nightly', type: 'cron', callback: { url: callback.callbackUrl, secret: { $sealed: 'x' } } },
    memory_mb: 256,
  });
  expect(execution?.spec.job).not.toHaveProperty('triggers');
  const id = execution?.id ?? '';
  expect((await records.tasks(id)).map(({ input }) => input)).toEqual(configuration.tasks);
  expect(await records.messages(id)).toEqual([
    'Queued by the schedule of the trigger nightly, due at 2028-01-01T04:00Z.',
  ]);
  expect(await schedulesOf(uid)).toMatchObject([
    { last_at: new Date('2028-01-01T04:00:00Z'), next_at: new Date('2028-01-02T04:00:00Z') },
  ]);
});

test('a trigger without tasks, retries and timeout starts one empty task with the settings of its job', async () => {
  const uid = await createJob({ schedule: '* * * * *' }, { maxRetries: 2, timeout: 30 });
  nowMs += 60_000;
  await run(uid);
  const [execution] = await executionsOf(uid);
  expect(execution).toMatchObject({
    spec: { maxRetries: 2, timeoutSeconds: 30 },
    trigger: { id: 'nightly', type: 'cron' },
  });
  expect((await records.tasks(execution?.id ?? '')).map(({ input }) => input)).toEqual([{}]);
});

test('a tick of a job whose volumes cannot be mounted is refused with the reason', async () => {
  const uid = uuidv7();
  const triggers = [{ id: 'nightly', type: 'cron', enabled: true, configuration: { schedule: '* * * * *' } }];
  await writeJob(uid, { triggers, volumes: [{ name: 'v', mountPath: '/proc', sizeMb: 1, type: 'ephemeral' }] });
  nowMs += 60_000;
  expect((await run(uid)).ticks).toMatchObject([{ outcome: 'refused' }]);
  expect(await executionsOf(uid)).toEqual([]);
  expect(await records.messages(uid)).toEqual([
    expect.stringMatching(/starts no execution: its volumes .*volumes\[0\]/),
  ]);
});

test('a tick that the limit of the account refuses is done, and one event of the job says so', async () => {
  const uid = await createJob({ schedule: '* * * * *' });
  for (let minute = 1; minute <= 3; minute += 1) {
    nowMs += 60_000;
    expect((await run(uid, { execution_bytes: 100 })).ticks).toMatchObject([{ outcome: 'refused' }]);
  }
  expect(await ticksOf(uid)).toEqual([]);
  expect(await records.messages(uid)).toEqual([expect.stringContaining('limit of 100 execution_bytes')]);
  nowMs += 60_000;
  expect((await run(uid)).ticks).toMatchObject([{ outcome: 'started' }]);
  expect(await ticksOf(uid)).toEqual(['cron:nightly:2028-01-01T00:04Z']);
});

test('a schedule that was stored before schedules ran begins with its next tick', async () => {
  const uid = await createJob({ schedule: '0 * * * *' });
  await sql`update cron_triggers set next_at = null where resource_uid = ${uid}`.execute(database);
  const lost = async () => (await dueSchedules(clock).page(database, undefined, 100)).map(({ key }) => key);
  expect(await lost()).toContain(uid);
  const { ticks, timers } = await run(uid);
  expect(ticks).toEqual([]);
  expect(timers).toMatchObject([{ delayMs: 3_600_050 }]);
  expect(await lost()).not.toContain(uid);
});

test('runs of a job that is gone, has no schedule or lost its workspace start nothing', async () => {
  expect(await run(randomUUID())).toEqual({ ticks: [], timers: [] });
  const uid = uuidv7();
  await writeJob(uid, { triggers: [{ id: 'web', type: 'http' }] });
  expect(await run(uid)).toEqual({ ticks: [], timers: [] });
});
