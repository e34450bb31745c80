// Log lines of workloads, from the runner's batch to the response: a real api, a real ClickHouse.
import { ApiConfig } from '@berth/api';
import { uuidv7 } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { openUsage, type Usage } from '@berth/usage';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';
import type { Client } from '../../../tests/harness/client.ts';
import { addAccount } from '../../../tests/harness/tenant.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';
import { storeLogBatch } from '../src/logs/store-log-batch.ts';

let clickhouse: TestClickhouse;
let api: TestApi;
let usage: Usage;
const runnerId = uuidv7();

beforeAll(async () => {
  clickhouse = await startTestClickhouse();
  api = await startTestApi({ clickhouse });
  usage = openUsage({ url: clickhouse.url, logger: createLogger({ role: 'test' }, { level: 'error' }) });
  await api.database.insertInto('runners').values({ id: runnerId, name: 'one', region: 'local' }).execute();
});
afterAll(async () => {
  await usage.close();
  await api[Symbol.asyncDispose]();
  await clickhouse[Symbol.asyncDispose]();
});

/** Whole seconds, as in the query, and in the past, so that every line is before the end of the window. */
const base = Math.floor(Date.now() / 1000) * 1000 - 600_000;
const second = (ms: number): string => new Date(ms).toISOString().slice(0, 19);

interface Place {
  readonly kind?: string;
  readonly workspace?: string;
  readonly ended?: boolean;
  /** Task of an execution, by the id that clients see. */
  readonly task?: { readonly execution: string; readonly index: number };
}

async function addInstance(
  name: string,
  { kind = 'agent', workspace = api.workspace, ended = false, task }: Place = {},
) {
  const { id: workspaceId } = await api.database
    .selectFrom('workspaces')
    .select('id')
    .where('name', '=', workspace)
    .executeTakeFirstOrThrow();
  const id = uuidv7();
  const uid = uuidv7();
  const attempt = task === undefined ? {} : await attemptOf(workspaceId, name, task);
  await api.database
    .insertInto('instances')
    .values({
      id,
      workspace_id: workspaceId,
      resource_uid: uid,
      revision: '1',
      runner_id: runnerId,
      spec: JSON.stringify({ resource: { uid, kind, name } }),
      reserved_mb: 128,
      ...attempt,
      ...(ended ? { desired: 'gone', state: 'gone', ended_at: new Date() } : {}),
    })
    .execute();
  return id;
}

async function attemptOf(workspaceId: string, job: string, { execution, index }: NonNullable<Place['task']>) {
  const { id } = await api.database
    .selectFrom('executions')
    .innerJoin('resources', 'resources.uid', 'executions.job_uid')
    .select('executions.id')
    .where('resources.workspace_id', '=', workspaceId)
    .where('resources.name', '=', job)
    .where('executions.external_id', '=', execution)
    .executeTakeFirstOrThrow();
  return { execution_id: id, task_index: index, attempt: 1 };
}

/** Lines one second apart, starting at `base`. */
const linesOf = (texts: readonly string[], from = 0) =>
  texts.map((text, index) => ({
    sequence: from + index,
    timeNs: `${BigInt(base + (from + index) * 1000) * 1_000_000n + 7n}`,
    stream: 'stdout' as const,
    text,
  }));

const config = ApiConfig.parse({});
const send = (instance: string, lines: ReturnType<typeof linesOf>, runner = runnerId, logBytesPerDay?: number) =>
  storeLogBatch(
    {
      database: api.database,
      usage,
      config: { ...config, ...(logBytesPerDay === undefined ? {} : { logBytesPerDay }) },
    },
    runner,
    { instance, lines },
  );

async function say(name: string, texts: readonly string[], place: Place = {}) {
  const instance = await addInstance(name, place);
  expect(await send(instance, linesOf(texts))).toEqual({ stored: texts.length });
  return instance;
}

type Query = Readonly<Record<string, string | number>>;
const ask = (workloadIds: string, query: Query = {}, client: Client = api.admin) =>
  client.get('/observability/logs', { query: { resourceType: 'agents', workloadIds, ...query } });

async function messages(name: string, query: Query = {}): Promise<string[]> {
  const { body } = await ask(name, query);
  return body[name].logs.map(({ message }: { message: string }) => message);
}

// Tests with workloads of their own run at the same time: each write waits a quarter of a second for more rows.
describe('the answer', () => {
  test.concurrent('holds the lines newest first, with nanoseconds, severity and counts per interval', async () => {
    await say('alpha', ['ERROR one', 'INFO two', 'three']);
    const { body } = await ask('alpha', { interval: 3600 });
    const entry = (ms: number, message: string, severity: number) => ({
      timestamp: new Date(ms).toISOString().replace('Z', '000007Z'),
      message,
      severity,
      trace_id: '',
    });
    expect(body.alpha.logs).toEqual([
      entry(base + 2000, 'three', 0),
      entry(base + 1000, 'INFO two', 9),
      entry(base, 'ERROR one', 17),
    ]);
    expect(body.alpha.totalCount).toBe(3);
    const sum = (name: string) => body.alpha.chart.reduce((all: number, bucket: never) => all + bucket[name], 0);
    expect(['count', 'error', 'info', 'unknown', 'fatal'].map(sum)).toEqual([3, 1, 1, 1, 0]);
  });

  test.concurrent('has an entry for each name, in one list or repeated, also for a workload without logs', async () => {
    await say('beta-one', ['first']);
    await say('beta-two', ['second', 'third']);
    const { body } = await ask('beta-one, beta-two,beta-none');
    expect(Object.keys(body).sort()).toEqual(['beta-none', 'beta-one', 'beta-two']);
    expect([body['beta-one'].totalCount, body['beta-two'].totalCount]).toEqual([1, 2]);
    expect(body['beta-none']).toEqual({ logs: [], totalCount: 0, chart: [] });
    const repeated = await api.admin.get(
      '/observability/logs?resourceType=agents&workloadIds=beta-one&workloadIds=beta-two',
    );
    expect(Object.keys(repeated.body).sort()).toEqual(['beta-one', 'beta-two']);
  });

  test.concurrent('lists every workload with logs when no name is given, with totals and without charts', async () => {
    await api.addWorkspace('quiet');
    const quiet = api.admin.with({ workspace: 'quiet' });
    await say('one', ['ERROR a', 'b'], { workspace: 'quiet' });
    await say('two', ['c'], { workspace: 'quiet', kind: 'function' });
    const asked = async (query: Query) => {
      const { body } = await quiet.get('/observability/logs', { query });
      return Object.keys(body).map((name) => [name, body[name].logs.length, body[name].totalCount, body[name].chart]);
    };
    expect((await asked({})).sort()).toEqual([
      ['one', 2, 2, []],
      ['two', 1, 1, []],
    ]);
    expect(await asked({ resourceType: 'agents', limit: 1 })).toEqual([['one', 1, 2, []]]);
    expect(await asked({ resourceType: 'functions', severity: 'ERROR' })).toEqual([]);
  });

  test.concurrent('is a page by limit and offset, and counts everything', async () => {
    const texts = Array.from({ length: 25 }, (_, index) => `line ${index}`);
    await say('gamma', texts);
    expect(await messages('gamma', { limit: 10 })).toEqual(texts.toReversed().slice(0, 10));
    expect(await messages('gamma', { limit: 10, offset: 20 })).toEqual(texts.toReversed().slice(20));
    expect(await messages('gamma', { offset: 25 })).toEqual([]);
    expect((await ask('gamma', { limit: 1, offset: 24 })).body.gamma.totalCount).toBe(25);
  });

  test('keeps to its window, whose end is not part of it', async () => {
    await say('delta', ['at 0', 'at 1', 'at 2', 'at 3']);
    const window = (from: number, to: number) => ({ start: second(base + from), end: second(base + to) });
    expect(await messages('delta', window(1000, 3000))).toEqual(['at 2', 'at 1']);
    expect(await messages('delta', window(-9000, 0))).toEqual([]);
    api.advance(2 * 3_600_000);
    expect(await messages('delta')).toEqual([]);
    expect(await messages('delta', { start: second(base) })).toHaveLength(4);
    api.advance(-2 * 3_600_000);
  });

  test.concurrent('keeps to severities, or has all of them', async () => {
    await say('epsilon', ['FATAL a', 'error: b', 'level=warn c', '{"level":20}', 'plain']);
    expect(await messages('epsilon', { severity: 'ERROR,fatal' })).toEqual(['error: b', 'FATAL a']);
    expect(await messages('epsilon', { severity: 'UNKNOWN' })).toEqual(['plain']);
    expect(await messages('epsilon', { severity: 'all' })).toHaveLength(5);
  });

  test.concurrent('searches for text in any case, where % and _ and \\ stand for themselves', async () => {
    await say('zeta', ['100% sure', '100 percent', 'snake_case', 'snakeXcase', 'back\\slash', "quote ' here"]);
    expect(await messages('zeta', { search: '100%' })).toEqual(['100% sure']);
    expect(await messages('zeta', { search: 'SNAKE_' })).toEqual(['snake_case']);
    expect(await messages('zeta', { search: 'k\\s' })).toEqual(['back\\slash']);
    expect(await messages('zeta', { search: "'" })).toEqual(["quote ' here"]);
    expect(await messages('zeta', { search: '%' })).toEqual(['100% sure']);
    expect(await messages('zeta', { search: '' })).toHaveLength(6);
  });

  test.concurrent('is empty when it is asked for what no line has yet, or lines of an agent cannot have', async () => {
    await say('eta', ['something']);
    for (const filter of ['traceId', 'taskId', 'executionId', 'type']) {
      expect((await ask('eta', { [filter]: 'x' })).body.eta).toEqual({ logs: [], totalCount: 0, chart: [] });
    }
    expect(await messages('eta', { type: 'all', traceId: '' })).toEqual(['something']);
  });
});

describe('lines of a job', () => {
  const jobs = { resourceType: 'jobs' };

  async function startJob(name: string, execution: string, client: Client = api.admin) {
    const known = await client.get(`/jobs/${name}`);
    if (known.status === 404)
      expect((await client.post('/jobs', { metadata: { name }, spec: { runtime: { image: 'job/x:1' } } })).status).toBe(
        200,
      );
    const tasks = [{}, {}, {}, {}];
    const started = await client.post(`/jobs/${name}/executions`, { executionId: execution, tasks });
    expect(started.status).toBe(200);
  }

  test.concurrent('are found by execution, by task, and by both', async () => {
    await startJob('rho', 'first');
    await startJob('rho', 'second');
    const task = (execution: string, index: number) => ({ kind: 'job', task: { execution, index } });
    await say('rho', ['0 of first'], task('first', 0));
    await say('rho', ['3 of first', 'again 3 of first'], task('first', 3));
    await say('rho', ['3 of second'], task('second', 3));
    const lines = async (query: Query) => (await messages('rho', { ...jobs, ...query })).toSorted();
    expect(await lines({})).toHaveLength(4);
    expect(await lines({ executionId: 'first' })).toEqual(['0 of first', '3 of first', 'again 3 of first']);
    expect(await lines({ executionId: 'first', taskId: 'task-3' })).toEqual(['3 of first', 'again 3 of first']);
    expect(await lines({ executionId: 'second', taskId: '3' })).toEqual(['3 of second']);
    expect(await lines({ taskId: 'task-3' })).toEqual(['3 of first', '3 of second', 'again 3 of first']);
    expect(await lines({ executionId: 'first', taskId: 'task-1' })).toEqual([]);
    const { body } = await ask('rho', { ...jobs, executionId: 'first', interval: 3600 });
    expect(body.rho.totalCount).toBe(3);
    expect(body.rho.chart.reduce((all: number, { count }: { count: number }) => all + count, 0)).toBe(3);
  });

  test.concurrent('are found without a name and without a type, and entered under their job', async () => {
    await startJob('sigma', 'nightly');
    await startJob('tau', 'nightly');
    await say('sigma', ['from sigma'], { kind: 'job', task: { execution: 'nightly', index: 0 } });
    await say('tau', ['from tau'], { kind: 'job', task: { execution: 'nightly', index: 0 } });
    const { body } = await api.admin.get('/observability/logs', { query: { executionId: 'nightly' } });
    expect(Object.keys(body).sort()).toEqual(['sigma', 'tau']);
    expect(await messages('sigma', { ...jobs, executionId: 'nightly' })).toEqual(['from sigma']);
  });

  test.concurrent('of an unknown execution or task are none, and that is no error', async () => {
    await startJob('upsilon', 'known');
    await say('upsilon', ['line'], { kind: 'job', task: { execution: 'known', index: 0 } });
    for (const query of [
      { executionId: 'unknown' },
      { executionId: "' or 1=1 --" },
      { taskId: 'task-x' },
      { taskId: '-1' },
      { executionId: 'known', taskId: '99999999999' },
    ]) {
      const { status, body } = await ask('upsilon', { ...jobs, ...query });
      expect([status, body]).toEqual([200, { upsilon: { logs: [], totalCount: 0, chart: [] } }]);
    }
    expect(await messages('upsilon', { executionId: 'known' })).toEqual([]);
  });

  test.concurrent('of another workspace stay hidden, also behind the same names', async () => {
    await api.addWorkspace('aside');
    const aside = api.admin.with({ workspace: 'aside' });
    await startJob('phi', 'same');
    await startJob('phi', 'same', aside);
    await say('phi', ['mine'], { kind: 'job', task: { execution: 'same', index: 0 } });
    await say('phi', ['theirs'], { kind: 'job', workspace: 'aside', task: { execution: 'same', index: 0 } });
    const query = { ...jobs, executionId: 'same', taskId: '0' };
    expect(await messages('phi', query)).toEqual(['mine']);
    const { body } = await ask('phi', query, aside);
    expect(body.phi.logs).toMatchObject([{ message: 'theirs' }]);
  });

  test.concurrent('need the scope of jobs', async () => {
    await startJob('chi', 'one');
    await say('chi', ['secret'], { kind: 'job', task: { execution: 'one', index: 0 } });
    const { body } = await api.admin.post('/profile/api_keys', { scopes: ['agents:get'] });
    const limited = api.admin.with({ key: body.apiKey });
    expect((await limited.get('/observability/logs', { query: { executionId: 'one' } })).body).toEqual({});
    expect((await ask('chi', jobs, limited)).status).toBe(403);
  });
});

describe('a request is refused', () => {
  const wrong: readonly (readonly [string, Query])[] = [
    ['invalid_request', { resourceType: 'agent' }],
    ['invalid_request', { workloadIds: ',' }],
    ['invalid_request', { workloadIds: Array.from({ length: 21 }, (_, index) => `a${index}`).join() }],
    ['invalid_request', { start: '2026-01-01T00:00:00Z' }],
    ['invalid_request', { start: '2026-13-01T00:00:00' }],
    ['invalid_request', { severity: 'LOUD' }],
    ['invalid_request', { limit: 0 }],
    ['invalid_request', { offset: -1 }],
    ['invalid_log_window', { start: '2026-01-02T00:00:00', end: '2026-01-01T00:00:00' }],
    ['invalid_log_window', { start: '2026-01-01T00:00:00', end: '2026-01-04T00:00:01' }],
  ];
  test.each(wrong)('400 %s for %j', async (code, query) => {
    const { status, body } = await ask('x', query);
    expect([status, body.error]).toEqual([400, code]);
  });

  test('403 by a key that may not read that kind, and by that alone', async () => {
    await say('theta', ['secret']);
    const { body } = await api.admin.post('/profile/api_keys', { scopes: ['agents:get'] });
    const limited = api.admin.with({ key: body.apiKey });
    expect((await ask('theta', {}, limited)).body.theta.totalCount).toBe(1);
    const refused = await ask('theta', { resourceType: 'sandboxes' }, limited);
    expect([refused.status, refused.body.error]).toEqual([403, 'scope_required']);
    expect(refused.body.message).toContain('sandboxes:get');
    const { body: scopeless } = await api.admin.post('/profile/api_keys', { scopes: ['drives:get'] });
    expect(Object.keys((await limited.get('/observability/logs')).body)).toContain('theta');
    expect((await limited.with({ key: scopeless.apiKey }).get('/observability/logs')).body).toEqual({});
  });
});

describe('tenants', () => {
  test.concurrent('see nothing of another workspace, in the same account or another, by the same name', async () => {
    await api.addWorkspace('beside');
    const other = await addAccount(api, 'yankee');
    await say('iota', ['mine']);
    await say('iota', ['beside it'], { workspace: 'beside' });
    const of = (client: Client) => ask('iota', {}, client).then(({ body }) => body.iota.totalCount);
    expect(await of(api.admin)).toBe(1);
    expect(await of(api.admin.with({ workspace: 'beside' }))).toBe(1);
    const foreign = await ask('iota', {}, other.client);
    expect(foreign.body).toEqual({ iota: { logs: [], totalCount: 0, chart: [] } });
    expect((await ask('iota', {}, other.client.with({ workspace: 'beside' }))).status).toBe(403);
  });

  test.concurrent('have agents and functions of one name apart', async () => {
    await say('kappa', ['from the function'], { kind: 'function' });
    expect(await messages('kappa')).toEqual([]);
    expect(await messages('kappa', { resourceType: 'functions' })).toEqual(['from the function']);
  });
});

describe('batches of a runner', () => {
  test.concurrent('sent twice, or overlapping, are shown once', async () => {
    const instance = await say('lambda', ['0', '1', '2']);
    await send(instance, linesOf(['0', '1', '2']));
    await send(instance, linesOf(['2', '3'], 2));
    expect(await messages('lambda')).toEqual(['3', '2', '1', '0']);
    expect((await ask('lambda')).body.lambda.totalCount).toBe(4);
  });

  test.concurrent('of another runner’s instance are refused, and nothing of them is stored', async () => {
    const instance = await addInstance('mu');
    await expect(send(instance, linesOf(['forged']), uuidv7())).rejects.toMatchObject({ status: 403 });
    expect(await messages('mu')).toEqual([]);
  });

  test.concurrent('of an ended instance are stored, of an unknown instance are dropped', async () => {
    await say('nu', ['last words'], { ended: true });
    expect(await messages('nu')).toEqual(['last words']);
    expect(await send(uuidv7(), linesOf(['whose']))).toEqual({ stored: 0 });
  });

  test.concurrent('without lines are fine', async () => {
    expect(await send(await addInstance('xi'), [])).toEqual({ stored: 0 });
  });
});

describe('following', () => {
  /** Lines that followers look for: they are less than ten minutes old. */
  const youngLines = (texts: readonly string[], from = 0) => linesOf(texts, 300 + from);
  const follow = async (workloadIds: string, query: Query = {}, client: Client = api.admin) => {
    const all = { resourceType: 'agents', workloadIds, ...query };
    const { status, body } = await client.get('/observability/logs/follow', { query: all });
    return { status, body, texts: body.logs?.map(({ message }: { message: string }) => message), after: body.after };
  };

  test.concurrent('begins with the last lines, oldest first, and goes on with each line once', async () => {
    const instance = await addInstance('upsilon');
    await send(instance, youngLines(['one', 'two', 'WARN three']));
    const begun = await follow('upsilon', { tail: 2 });
    expect(begun.body.logs).toEqual([
      expect.objectContaining({ message: 'two', workload: 'upsilon' }),
      {
        ...{ message: 'WARN three', workload: 'upsilon', severity: 13, trace_id: '' },
        timestamp: expect.stringMatching(/Z$/),
      },
    ]);
    expect((await follow('upsilon')).texts).toEqual([]);
    await send(instance, youngLines(['two', 'WARN three', 'four'], 1));
    const next = await follow('upsilon', { after: begun.after });
    expect(next.texts).toEqual(['four']);
    expect((await follow('upsilon', { after: next.after, wait: 0 })).texts).toEqual([]);
  });

  test.concurrent('waits for a line, and answers when there is one', async () => {
    const instance = await addInstance('phi');
    const { after } = await follow('phi');
    let isAnswered = false;
    const waiting = follow('phi', { after, wait: 30 }).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await follow('phi', { after, wait: 1 });
    expect(isAnswered).toBe(false);
    await send(instance, youngLines(['at last']));
    expect((await waiting).texts).toEqual(['at last']);
  });

  test.concurrent('keeps to the filters, and to what the key may read', async () => {
    const instance = await addInstance('chi');
    const { after } = await follow('chi');
    await send(instance, youngLines(['ERROR one', 'INFO two']));
    expect((await follow('chi', { after, severity: 'ERROR' })).texts).toEqual(['ERROR one']);
    expect((await follow('chi', { after, search: 'TWO' })).texts).toEqual(['INFO two']);
    expect((await follow('chi', { after, wait: 0, taskId: 'task-1' })).texts).toEqual([]);
    const other = await addAccount(api, 'follower');
    expect((await follow('chi', { after, wait: 0 }, other.client)).texts).toEqual([]);
    const { body } = await api.admin.post('/profile/api_keys', { scopes: ['agents:get'] });
    const limited = api.admin.with({ key: body.apiKey });
    expect((await follow('chi', { after }, limited)).texts).toEqual(['ERROR one', 'INFO two']);
    expect(await follow('chi', { after, resourceType: 'sandboxes' }, limited)).toMatchObject({ status: 403 });
  });

  test.concurrent('refuses a position that is none', async () => {
    const { status, body } = await follow('psi', { after: 'nonsense' });
    expect([status, body.error]).toEqual([400, 'invalid_cursor']);
  });

  test('ends when the api stops', async () => {
    const other = await startTestApi({ clickhouse });
    const { after } = await follow('omega', {}, other.admin);
    const waiting = follow('omega', { after, wait: 30 }, other.admin);
    await follow('omega', { after, wait: 1 }, other.admin);
    await other[Symbol.asyncDispose]();
    expect(await waiting).toMatchObject({ status: 200, texts: [] });
  });
});

test('while ClickHouse is away both ends say 503, and nothing that was acknowledged is lost', async () => {
  const instance = await say('omicron', ['before']);
  await clickhouse.kill();
  const { status, body } = await ask('omicron');
  expect([status, body.error]).toEqual([503, 'logs_unreachable']);
  const unsent = linesOf(['after'], 1);
  await expect(send(instance, unsent)).rejects.toMatchObject({ status: 503, code: 'logs_unreachable' });
  expect((await api.admin.get('/agents')).status).toBe(200);
  await clickhouse.start();
  await send(instance, unsent);
  expect(await messages('omicron')).toEqual(['after', 'before']);
});

test('a deployment without ClickHouse says which setting it lacks', async () => {
  await using without = await startTestApi();
  const { status, body } = await ask('anything', {}, without.admin);
  expect([status, body.error]).toEqual([503, 'logs_unavailable']);
  expect(body.message).toContain('BERTH_CLICKHOUSE_URL');
});

test('a deployment without ClickHouse acknowledges lines, so that no runner sends them for ever', async () => {
  const instance = await addInstance('silent');
  const stored = storeLogBatch({ database: api.database, usage: undefined, config }, runnerId, {
    instance,
    lines: linesOf(['dropped'], 0),
  });
  expect(await stored).toEqual({ stored: 0 });
});

test('a workspace that floods its logs has its share of the day stored and then a note; another workspace is stored as before', async () => {
  const { workspace, client } = await addAccount(api, 'flood');
  const share = 5_000;
  const noisy = await addInstance('noisy', { workspace });
  const quiet = await addInstance('quiet');
  const flood = (from: number) => send(noisy, linesOf(Array(20).fill('x'.repeat(436)), from), runnerId, share);
  expect(await flood(0)).toEqual({ stored: 11 });
  expect(await flood(20)).toEqual({ stored: 0 });
  expect(await send(quiet, linesOf(['hello']), runnerId, share * 1_000)).toEqual({ stored: 1 });
  const { body } = await ask('noisy', {}, client);
  expect(body.noisy.logs[0].message).toMatch(/more than 5000 bytes of output today .*500 bytes were dropped so far/);
});
