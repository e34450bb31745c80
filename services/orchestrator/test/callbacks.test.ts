// Callbacks of executions and budgets to a receiver on this machine. Time that has to pass is taken from `next_at`.
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { headerNames } from '@berth/contract';
import { connect, type Database, uuidv7 } from '@berth/database';
import { createKeyring, type Keyring, masterKeyRing, seal } from '@berth/identity';
import { createPost } from '@berth/outward';
import { createLogger } from '@berth/telemetry';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../engines/free-port.ts';
import { createTestDatabase } from '../../../engines/test-database.ts';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { startTestApi } from '../../../tests/harness/test-api.ts';
import { until } from '../../../tests/harness/until.ts';
import { runCommand } from '../../server/test/run-command.ts';
import { type DeliveriesOptions, startDeliveries } from '../src/callbacks/start-deliveries.ts';
import { settleExecution } from '../src/executions/settle-execution.ts';
import { removeSome } from '../src/removal/remove-some.ts';
import type { DeliveriesProgram } from './deliveries-program.ts';
import { JobRecords } from './job-records.ts';
import { type ReceivedCall, Receiver } from './receiver.ts';
import { testDependencies } from './test-dependencies.ts';

const masterKey = randomBytes(32);
const brand = conformanceBrand();
const header = (call: ReceivedCall | undefined, name: 'signature' | 'timestamp' | 'deliveryId'): string =>
  String(call?.headers[headerNames(brand)[name].toLowerCase()]);
const secret = randomBytes(32).toString('hex');

let home: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let keyring: Keyring;
let workspaceId: string;
beforeAll(async () => {
  home = await createTestDatabase();
  database = connect({ url: home.url, maxConnections: 10 });
  keyring = createKeyring(masterKeyRing([{ id: 'test', key: masterKey }]));
});
afterAll(async () => {
  await database?.destroy();
  await home?.drop();
});
beforeEach(async () => {
  await sql`truncate deliveries, tasks, executions, resources, workspaces, accounts cascade`.execute(database);
  workspaceId = await addWorkspace();
});

async function addWorkspace(): Promise<string> {
  const [account, id] = [randomUUID(), randomUUID()];
  await sql`insert into accounts (id, display_name, owner_email, plan, tier)
    values (${account}, 'A', 'a@example.com', 'p', 't')`.execute(database);
  await sql`insert into workspaces (id, account_id, name, status, created_by, updated_by)
    values (${id}, ${account}, ${`w-${id.slice(0, 8)}`}, 'ready', 'x', 'x')`.execute(database);
  await database.transaction().execute((tx) => keyring.createWorkspaceKey(tx, id));
  return id;
}

interface EndWish {
  readonly failed?: number;
  readonly workspace?: string;
  readonly trigger?: object | null;
}

/** Ends an execution of two tasks as the handler does, and returns its id. */
async function endExecution(
  url: string,
  { failed = 0, workspace = workspaceId, trigger }: EndWish = {},
): Promise<string> {
  const [jobUid, id] = [uuidv7(), uuidv7()];
  const sealed = seal(await keyring.workspaceKey(database, workspace), secret, `resource ${jobUid}`);
  const startedBy = trigger ?? { id: 'nightly', type: 'cron', callback: { url, secret: { $sealed: sealed } } };
  await sql`insert into resources (uid, workspace_id, kind, name, spec, created_by, updated_by, search)
    values (${jobUid}, ${workspace}, 'job', ${`job-${jobUid}`}, '{}', 'x', 'x', 'x')`.execute(database);
  await sql`insert into executions (id, workspace_id, job_uid, external_id, status, spec, task_count, parallelism,
      memory_mb, succeeded, failed, created_by, trigger)
    values (${id}, ${workspace}, ${jobUid}, ${`run-${id}`}, 'running',
      '{"parallelism": 1, "timeoutSeconds": 60, "maxRetries": 0}', 2, 1, 128, ${2 - failed}, ${failed}, 'x',
      ${trigger === null ? null : JSON.stringify(startedBy)})`.execute(database);
  for (const index of [0, 1])
    await sql`insert into tasks (execution_id, index, input, status, reason)
      values (${id}, ${index}, '{}', ${index < failed ? 'failed' : 'succeeded'}, 'exited')`.execute(database);
  const { hasCallback } = await settleExecution(testDependencies(database), id);
  expect(hasCallback).toBe(trigger === undefined);
  return id;
}

function startLoop(others: Partial<DeliveriesOptions> = {}): AsyncDisposable {
  const loop = startDeliveries({
    database,
    databaseUrl: home.url,
    keyring,
    brand,
    post: createPost({ allowedRanges: ['127.0.0.0/8'] }),
    logger: createLogger({ role: 'test' }, { level: 'silent' }),
    random: () => 0,
    pollMs: 20,
    ...others,
  });
  return { [Symbol.asyncDispose]: () => loop.stop() };
}

async function deliveryOf(executionId: string) {
  return database
    .selectFrom('deliveries')
    .selectAll()
    .select(sql<number>`extract(epoch from next_at - clock_timestamp())::float8`.as('waitsSeconds'))
    .where('execution_id', '=', executionId)
    .executeTakeFirstOrThrow();
}

const makeDue = (executionId: string) =>
  sql`update deliveries set next_at = clock_timestamp() where execution_id = ${executionId}`.execute(database);

const attemptsOf = async (executionId: string): Promise<number> => (await deliveryOf(executionId)).attempts;
const isDelivered = async (executionId: string): Promise<boolean> =>
  (await deliveryOf(executionId)).delivered_at !== null;
const callbackEvents = async (executionId: string): Promise<string[]> =>
  (await new JobRecords(database).messages(executionId)).filter((message) => message.startsWith('Callback'));

/** With another implementation than the sender's. */
async function isSignedBy(text: string, call: ReceivedCall | undefined): Promise<boolean> {
  const key = await webcrypto.subtle.importKey('raw', Buffer.from(text), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  const [, signature = ''] = /^sha256=([0-9a-f]{64})$/.exec(header(call, 'signature')) ?? [];
  return webcrypto.subtle.verify('HMAC', key, Buffer.from(signature, 'hex'), Buffer.from(call?.body ?? ''));
}

test('the end of an execution is posted with its result, signed with the secret of the trigger', async () => {
  await using receiver = await Receiver.start();
  await using _loop = startLoop();
  const id = await endExecution(receiver.url);
  await until(() => isDelivered(id));
  const [call] = receiver.calls;
  const { id: deliveryId, resource_uid } = await deliveryOf(id);
  const body = JSON.parse(call?.body ?? '');
  expect(body).toEqual({
    status_code: 200,
    response_body: expect.any(String),
    response_length: Buffer.byteLength(body.response_body),
    timestamp: expect.any(Number),
  });
  expect(JSON.parse(body.response_body)).toEqual({
    execution_id: `run-${id}`,
    job: `job-${resource_uid}`,
    status: 'succeeded',
    stats: { total: 2, success: 2, failure: 0, cancelled: 0, running: 0, retried: 0 },
  });
  expect(await isSignedBy(secret, call)).toBe(true);
  expect(await isSignedBy('another secret', call)).toBe(false);
  expect(Math.abs(Number(header(call, 'timestamp')) - Date.now() / 1_000)).toBeLessThan(60);
  expect(header(call, 'deliveryId')).toBe(deliveryId);
  expect(call?.headers['content-type']).toBe('application/json');
  expect(receiver.calls).toHaveLength(1);
  expect(await callbackEvents(id)).toEqual([`Callback ${deliveryId} delivered.`]);
});

test('an execution that failed has status code 500, and one without a callback posts nothing', async () => {
  await using receiver = await Receiver.start();
  await endExecution(receiver.url, { trigger: null });
  await endExecution(receiver.url, { trigger: { id: 'nightly', type: 'cron' } });
  await using _loop = startLoop();
  const id = await endExecution(receiver.url, { failed: 1 });
  await until(() => isDelivered(id));
  expect(receiver.calls).toHaveLength(1);
  const body = JSON.parse(receiver.calls[0]?.body ?? '');
  expect([body.status_code, JSON.parse(body.response_body).status]).toEqual([500, 'failed']);
});

test('a receiver that was down gets the callback once it is up, under the same id', async () => {
  const port = await freePort();
  await using _loop = startLoop();
  const id = await endExecution(`http://127.0.0.1:${port}/hook`);
  await until(async () => (await attemptsOf(id)) === 1);
  const failed = await deliveryOf(id);
  expect(failed).toMatchObject({ last_status: null, last_error: 'The connection failed.', claimed_until: null });
  await using receiver = await Receiver.start(port);
  await makeDue(id);
  await until(() => isDelivered(id));
  expect(receiver.calls.map((call) => header(call, 'deliveryId'))).toEqual([failed.id]);
  expect(await deliveryOf(id)).toMatchObject({ attempts: 2, last_status: 200, last_error: null });
});

test('a failing receiver is tried at once and 8 times more on schedule, then the callback is given up', async () => {
  await using receiver = await Receiver.start();
  receiver.answer = () => 503;
  await using _loop = startLoop();
  const id = await endExecution(receiver.url);
  const seconds = [5, 30, 120, 600, 3_600, 10_800, 28_800, 43_200];
  for (const [index, expected] of seconds.entries()) {
    await until(async () => (await attemptsOf(id)) === index + 1);
    const { waitsSeconds } = await deliveryOf(id);
    expect(waitsSeconds).toBeLessThanOrEqual(expected);
    expect(waitsSeconds).toBeGreaterThan(expected - 4);
    await makeDue(id);
  }
  await until(async () => (await deliveryOf(id)).given_up_at !== null);
  const { id: deliveryId, attempts, last_status } = await deliveryOf(id);
  expect([attempts, last_status]).toEqual([9, 503]);
  expect(new Set(receiver.calls.map((call) => `${header(call, 'deliveryId')} ${call.body}`)).size).toBe(1);
  expect(await callbackEvents(id)).toEqual([`Callback ${deliveryId} given up after 9 tries; last answer 503`]);
});

test('410 ends the callback at the first try', async () => {
  await using receiver = await Receiver.start();
  receiver.answer = () => 410;
  await using _loop = startLoop();
  const id = await endExecution(receiver.url);
  await until(async () => (await deliveryOf(id)).given_up_at !== null);
  expect(receiver.calls).toHaveLength(1);
  expect(await deliveryOf(id)).toMatchObject({ attempts: 1, last_status: 410, delivered_at: null });
});

test('a loop that is killed while it waits for the answer leaves the callback to another, under the same id', async () => {
  await using receiver = await Receiver.start();
  receiver.answer = () => (receiver.calls.length === 1 ? undefined : 200);
  const id = await endExecution(receiver.url);
  const program: DeliveriesProgram = {
    databaseUrl: home.url,
    masterKey: masterKey.toString('base64'),
    leaseMs: 3_000,
  };
  const child = spawn(process.execPath, [`${import.meta.dirname}/deliveries-program.ts`, JSON.stringify(program)], {
    stdio: 'inherit',
  });
  await until(() => receiver.calls.length === 1);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await using _loop = startLoop();
  await until(() => isDelivered(id));
  const { id: deliveryId, attempts } = await deliveryOf(id);
  expect(receiver.calls.map((call) => header(call, 'deliveryId'))).toEqual([deliveryId, deliveryId]);
  expect(receiver.calls[1]?.body).toBe(receiver.calls[0]?.body);
  expect(attempts).toBe(1);
});

test('a slow receiver has at most 4 requests at once and delays no other receiver', async () => {
  await using slow = await Receiver.start();
  await using other = await Receiver.start();
  slow.answer = () => undefined;
  for (let number = 0; number < 40; number += 1) await endExecution(slow.url);
  const post = createPost({ allowedRanges: ['127.0.0.0/8'], timeoutMs: 60_000 });
  const loops = [startLoop({ post }), startLoop({ post })];
  await until(() => slow.calls.length === 4);
  const ids = await Promise.all([endExecution(other.url), endExecution(other.url)]);
  for (const id of ids) await until(() => isDelivered(id));
  expect(slow.calls).toHaveLength(4);
  await slow[Symbol.asyncDispose]();
  await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()));
});

test('a workspace with many slow receivers leaves room for other workspaces', async () => {
  const slow = await Promise.all(Array.from({ length: 12 }, () => Receiver.start()));
  await using other = await Receiver.start();
  for (const receiver of slow) {
    receiver.answer = () => undefined;
    for (let number = 0; number < 4; number += 1) await endExecution(receiver.url);
  }
  const loop = startLoop({ post: createPost({ allowedRanges: ['127.0.0.0/8'], timeoutMs: 60_000 }) });
  const underWay = () => slow.reduce((sum, { calls }) => sum + calls.length, 0);
  await until(() => underWay() === 8);
  const id = await endExecution(other.url, { workspace: await addWorkspace() });
  await until(() => isDelivered(id));
  expect(underWay()).toBe(8);
  for (const receiver of slow) await receiver[Symbol.asyncDispose]();
  await loop[Symbol.asyncDispose]();
});

test('two loops deliver each callback once', async () => {
  await using receiver = await Receiver.start();
  const ids = await Promise.all(Array.from({ length: 30 }, () => endExecution(receiver.url)));
  await using _one = startLoop();
  await using _two = startLoop();
  for (const id of ids) await until(() => isDelivered(id));
  expect(new Set(receiver.calls.map((call) => header(call, 'deliveryId'))).size).toBe(30);
  expect(receiver.calls).toHaveLength(30);
});

test('a private address is not called unless the operator allows it', async () => {
  await using receiver = await Receiver.start();
  await using _loop = startLoop({ post: createPost() });
  const id = await endExecution(receiver.url);
  await until(async () => (await attemptsOf(id)) === 1);
  expect((await deliveryOf(id)).last_error).toBe('127.0.0.1 has no address on the internet.');
  expect(receiver.calls).toEqual([]);
});

test('a secret that does not open fails its own callback alone', async () => {
  await using receiver = await Receiver.start();
  const id = await endExecution(receiver.url);
  await sql`update deliveries set resource_uid = ${randomUUID()} where execution_id = ${id}`.execute(database);
  await using _loop = startLoop();
  const next = await endExecution(receiver.url);
  await until(() => isDelivered(next));
  await until(async () => (await attemptsOf(id)) === 1);
  expect((await deliveryOf(id)).last_error).toMatch(/could not be prepared/);
  expect(receiver.calls).toHaveLength(1);
});

test('a callback that ended is replayed by the operator under the same id, with all its tries', async () => {
  await using receiver = await Receiver.start();
  receiver.answer = () => 410;
  await using _loop = startLoop();
  const id = await endExecution(receiver.url);
  const { id: deliveryId } = await deliveryOf(id);
  const replay = (which: string) => runCommand('replay-callback', { postgres: { url: home.url } }, '--id', which);
  await until(async () => (await deliveryOf(id)).given_up_at !== null);
  receiver.answer = () => 500;
  await replay(deliveryId);
  await until(async () => (await attemptsOf(id)) === 1);
  await expect(replay(deliveryId)).rejects.toThrow('still being tried');
  receiver.answer = () => 200;
  await makeDue(id);
  await until(() => isDelivered(id));
  expect(new Set(receiver.calls.map((call) => header(call, 'deliveryId')))).toEqual(new Set([deliveryId]));
  await expect(replay(randomUUID())).rejects.toThrow('There is no callback');
  await expect(replay('x')).rejects.toThrow('--id: a delivery id');
});

/** A budget of the account, and a callback of it. Returns the ids of both. */
async function addBudgetCallback(url: string): Promise<{ budgetId: string; id: string }> {
  const [budgetId, id] = [uuidv7(), uuidv7()];
  const sealed = seal(await keyring.deploymentKey(database, 'budgets'), secret, `budget ${budgetId}`);
  const account = sql`(select account_id from workspaces where id = ${workspaceId})`;
  await sql`insert into budgets (id, account_id, name, amount_usd, thresholds, callback_url, callback_secret, created_by, updated_by)
    values (${budgetId}, ${account}, ${budgetId}, 1, '{50}', ${url}, ${sealed}, 'x', 'x')`.execute(database);
  await sql`insert into deliveries (id, account_id, budget_id, url, host, secret, body)
    values (${id}, ${account}, ${budgetId}, ${url}, ${new URL(url).host}, ${sealed}, '{"threshold":50}')`.execute(
    database,
  );
  return { budgetId, id };
}

test('a callback of a budget is posted, signed with its secret, replayed, and removed with the budget', async () => {
  await using receiver = await Receiver.start();
  receiver.answer = () => 410;
  const { budgetId, id } = await addBudgetCallback(receiver.url);
  const stored = () => database.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
  await using _loop = startLoop();
  await until(async () => (await stored())?.given_up_at instanceof Date);
  receiver.answer = () => 200;
  await runCommand('replay-callback', { postgres: { url: home.url } }, '--id', id);
  await until(async () => (await stored())?.delivered_at instanceof Date);
  expect(receiver.calls.map((call) => [header(call, 'deliveryId'), call.body])).toEqual([
    [id, '{"threshold":50}'],
    [id, '{"threshold":50}'],
  ]);
  expect(await isSignedBy(secret, receiver.calls[1])).toBe(true);
  // An end is an event of an execution; a budget has none.
  const { rows: events } =
    await sql`select from resource_events where type = 'callback' and message like ${`%${id}%`}`.execute(database);
  expect(events).toEqual([]);
  await sql`delete from budgets where id = ${budgetId}`.execute(database);
  expect(await stored()).toBeUndefined();
});

test('an account with many slow receivers of its budgets leaves room for callbacks of its workspaces', async () => {
  const slow = await Promise.all([1, 2, 3].map(() => Receiver.start()));
  await using other = await Receiver.start();
  for (const receiver of slow) {
    receiver.answer = () => undefined;
    for (let number = 0; number < 4; number += 1) await addBudgetCallback(receiver.url);
  }
  const loop = startLoop({ post: createPost({ allowedRanges: ['127.0.0.0/8'], timeoutMs: 60_000 }) });
  const underWay = () => slow.reduce((sum, { calls }) => sum + calls.length, 0);
  await until(() => underWay() === 8);
  const id = await endExecution(other.url);
  await until(() => isDelivered(id));
  expect(underWay()).toBe(8);
  for (const receiver of slow) await receiver[Symbol.asyncDispose]();
  await loop[Symbol.asyncDispose]();
});

test('callbacks are removed with their workspace, and an execution that ends after it has none', async () => {
  const url = 'http://127.0.0.1:1/';
  await endExecution(url);
  await sql`update executions set status = 'running', completed_at = null`.execute(database);
  await sql`delete from deliveries`.execute(database);
  const late = (await database.selectFrom('executions').select('id').executeTakeFirstOrThrow()).id;
  const kept = await endExecution(url, { workspace: await addWorkspace() });
  await endExecution(url);
  await sql`delete from workspaces where id = ${workspaceId}`.execute(database);
  expect((await settleExecution(testDependencies(database), late)).hasCallback).toBe(false);
  while (await removeSome(database, workspaceId));
  const left = await database.selectFrom('deliveries').select('execution_id').execute();
  expect(left).toEqual([{ execution_id: kept }]);
});

test('an execution that the api cancels before it starts is posted, signed with the secret that the job showed', async () => {
  await using api = await startTestApi();
  await using receiver = await Receiver.start();
  const trigger = { id: 'nightly', type: 'cron', configuration: { schedule: '0 3 * * *', callbackUrl: receiver.url } };
  const spec = { runtime: { image: 'example/job:1' }, triggers: [trigger] };
  const created = await api.admin.post('/jobs', { metadata: { name: 'report' }, spec });
  const started = await api.admin.post('/jobs/report/executions', {});
  // As a schedule starts it.
  await sql`update executions set trigger = jsonb_build_object('id', 'nightly', 'type', 'cron', 'callback',
      jsonb_build_object('url', ${receiver.url}::text, 'secret', job.spec #> '{triggers,0,configuration,callbackSecret}'))
    from (select spec from resources where name = 'report') as job`.execute(api.database);
  const cancelled = await api.admin.delete(`/jobs/report/executions/${started.body.executionId}`);
  expect(cancelled.body.status).toBe('cancelled');
  await using _loop = startLoop({
    database: api.database,
    databaseUrl: api.databaseUrl,
    keyring: createKeyring(api.masterKeys),
  });
  await until(() => receiver.calls.length === 1);
  const [call] = receiver.calls;
  const body = JSON.parse(call?.body ?? '');
  expect(JSON.parse(body.response_body)).toMatchObject({
    execution_id: started.body.executionId,
    job: 'report',
    status: 'cancelled',
    stats: { total: 1, cancelled: 1, running: 0 },
  });
  expect(await isSignedBy(created.body.spec.triggers[0].configuration.callbackSecret, call)).toBe(true);
});

test('the callback of an asynchronous call is delivered and signed likewise', async () => {
  await using receiver = await Receiver.start();
  await using _loop = startLoop();
  const [agentUid, invocationId] = [uuidv7(), uuidv7()];
  const sealed = seal(await keyring.workspaceKey(database, workspaceId), secret, `resource ${agentUid}`);
  const body = JSON.stringify({ status_code: 200, response_body: 'done' });
  await database
    .insertInto('deliveries')
    .values({
      ...{ id: uuidv7(), workspace_id: workspaceId, resource_uid: agentUid, invocation_id: invocationId },
      ...{ trigger_id: 'hook', url: receiver.url, host: new URL(receiver.url).host, secret: sealed, body },
    })
    .execute();
  await until(() => receiver.calls.length > 0);
  expect(receiver.calls[0]?.body).toBe(body);
  expect(await isSignedBy(secret, receiver.calls[0])).toBe(true);
});
