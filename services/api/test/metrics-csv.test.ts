// Usage and cost as CSV: the same figures as JSON, all groups in one file, and never a part of a file as if it were whole.
import { MetricsGroup } from '@berth/contract';
import { uuidv7 } from '@berth/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';
import { addAccount, type FurtherAccount } from '../../../tests/harness/tenant.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';
import { openTestLedger, type TestLedger } from './metrics-ledger.ts';
import { withPageReads } from './page-reads.ts';

let clickhouse: TestClickhouse;
let api: TestApi;
let ledger: TestLedger;
let alpha: FurtherAccount;

const hourMs = 3_600_000;
/** A full hour two days ago. */
const base = Math.floor(Date.now() / hourMs) * hourMs - 48 * hourMs;
const iso = (ms: number): string => new Date(ms).toISOString();
const window = { startTime: iso(base), endTime: iso(base + 24 * hourMs) };

beforeAll(async () => {
  clickhouse = await startTestClickhouse();
  api = await startTestApi({ clickhouse });
  ledger = openTestLedger(api.database, clickhouse.url);
  alpha = await account('alpha');
  const hours = [1, 2, 5].map((hour) => base + hour * hourMs);
  await record(alpha, ['box-a', 'box-b'], hours);
  await record(alpha, ['agent-a'], [base + hourMs], 'agent');
  // Its hour is open, and the window of a test cuts it.
  await record(alpha, ['box-c'], [base + 7 * hourMs], 'sandbox', 'open');
});
afterAll(async () => {
  await ledger[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
  await clickhouse[Symbol.asyncDispose]();
});

async function account(word: string): Promise<FurtherAccount> {
  const made = await addAccount(api, word);
  await api.database
    .updateTable('prices')
    .set({ valid_from: new Date(base - 1000 * hourMs) })
    .where('account_id', '=', made.accountId)
    .execute();
  return made;
}

/** A full hour of each resource in each of the hours. */
async function record(
  { accountId, workspace, client }: FurtherAccount,
  names: readonly string[],
  hours: readonly number[],
  type: 'sandbox' | 'agent' = 'sandbox',
  state: 'closed' | 'open' = 'closed',
) {
  const workspaceId = (await client.get(`/workspaces/${workspace}`)).body.id;
  const rows = names.flatMap((name, index) => {
    const resourceUid = uuidv7();
    return hours.map((fromMs) => ({
      ...{ accountId, workspaceId, workspace, resourceType: type, resourceName: name, resourceUid },
      ...{ dimension: `${type}_compute_runtime_gbs` as const, source: uuidv7(), interval: 0, part: 0 },
      ...{ fromMs, toMs: fromMs + hourMs, rate: (index + 1) * 1_048_576, amount: 0 },
    }));
  });
  await (state === 'closed' ? ledger.storeClosed(rows) : ledger.store(rows));
}

type Query = Readonly<Record<string, string>>;

/** The test client takes JSON only. */
function csv({ accountId, key }: Pick<FurtherAccount, 'accountId' | 'key'>, query: Query = {}): Promise<Response> {
  const url = new URL(`/v0/accounts/${accountId}/metrics`, api.url);
  for (const [name, value] of Object.entries({ ...window, format: 'csv', ...query })) url.searchParams.set(name, value);
  return fetch(url, { headers: { authorization: `Bearer ${key}` } });
}

interface ErrorAnswer {
  readonly error: string;
  readonly message: string;
}

const errorOf = async (answer: Response): Promise<ErrorAnswer> => (await answer.json()) as ErrorAnswer;
const linesOf = (text: string): string[] => text.split('\r\n').slice(0, -1);

test('the answer is a file of text/csv with a header line, named after the window', async () => {
  const answer = await csv(alpha, { groupBy: 'billing_dimension', resolution: 'daily' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const name = `usage-${window.startTime}-${window.endTime}.csv`.replaceAll(':', '');
  expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
  const [header, ...lines] = linesOf(await answer.text());
  expect(header).toBe('resourceType,billingDimension,timestamp,cost,usage');
  // Boxes of 1 and 2 GB ran for three hours each, one more of 1 GB for an hour.
  const total = lines.map((line) => line.split(',')).filter(([type]) => type === 'sandbox');
  expect(sum(total.map(([, , , cost]) => cost))).toBe(414_000_000_000n);
});

const picoOf = (decimal: string): bigint => {
  const [whole = '', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(12, '0'));
};
const sum = (decimals: readonly (string | undefined)[]): bigint =>
  decimals.reduce((total, decimal) => total + picoOf(decimal ?? ''), 0n);

interface Entry extends Readonly<Record<string, unknown>> {
  readonly timeseries: readonly { readonly timestamp: string; readonly cost: number; readonly usage?: number }[];
}

const fields = ['workspace', 'resourceType', 'resourceName', 'resourceUuid', 'billingDimension'];
const groupings = ['', ...MetricsGroup.options, 'workspace,resource_name,billing_dimension', 'resource_uuid,workspace'];

const resolutions = ['hourly', 'daily', 'weekly', 'monthly'];
/** The second one cuts the first hour, and the hour that is open. */
const windows = [window, { startTime: iso(base + hourMs * 1.5), endTime: iso(base + hourMs * 7.25) }];

describe.each(groupings.map((groupBy, place) => [groupBy, place] as const))('grouped by %j', (groupBy, place) => {
  test.each(resolutions)(
    'the lines are the %s points of JSON that have usage, digit by digit and in the same order',
    async (resolution) => {
      // Each grouping and each resolution has both windows. What all three of them add up to is in metrics-model.test.ts.
      const chosen = windows[(place + resolutions.indexOf(resolution)) % windows.length];
      const asked = { ...chosen, resolution, ...(groupBy === '' ? {} : { groupBy }) };
      const [{ body }, file] = await Promise.all([
        alpha.client.get(`/accounts/${alpha.accountId}/metrics`, { query: asked }),
        csv(alpha, asked),
      ]);
      const [header, ...lines] = linesOf(await file.text());
      const columns = (header ?? '').split(',');
      expect(columns).toEqual([
        ...fields.filter((field) => field in body.data[0]),
        ...['timestamp', 'cost'],
        ...(groupBy.includes('billing_dimension') ? ['usage'] : []),
      ]);
      const wanted = body.data.flatMap((entry: Entry) =>
        entry.timeseries
          .filter(({ cost }) => cost > 0)
          .map((point) => columns.map((column) => String({ ...entry, ...point }[column])).join(',')),
      );
      expect(lines).toEqual(wanted);
      expect(lines.length).toBeGreaterThan(0);
    },
  );
});

test('every digit of a large cost is in the file, beyond what a JavaScript number holds', async () => {
  const of = await account('bravo');
  await api.database
    .updateTable('prices')
    .set({ usd_per_unit: '999.999999999999' })
    .where('account_id', '=', of.accountId)
    .execute();
  await record(of, ['box'], [base + hourMs]);
  expect(linesOf(await (await csv(of, { groupBy: 'billing_dimension' })).text())[1]).toBe(
    `sandbox,sandbox_compute_runtime_gbs,${iso(base + hourMs)},3599999.9999999964,3600`,
  );
});

test('a window without usage is a header line', async () => {
  const of = await account('charlie');
  expect(await (await csv(of)).text()).toBe('timestamp,cost\r\n');
  const future = { startTime: '2199-01-01T00:00:00Z', endTime: '2199-01-02T00:00:00Z', groupBy: 'resource_name' };
  expect(await (await csv(of, future)).text()).toBe('workspace,resourceType,resourceName,timestamp,cost\r\n');
});

test.each([{ limit: '10' }, { cursor: 'abc' }])('%j is refused, and the message says to leave it out', async (page) => {
  const answer = await csv(alpha, page);
  const [name = ''] = Object.keys(page);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
  expect((await errorOf(answer)).message).toMatch(new RegExp(`^query\\.${name}: .*leave it out`));
});

test('an unknown format is refused, and json is the format without one', async () => {
  expect((await csv(alpha, { format: 'xml' })).status).toBe(400);
  const [json, absent] = await Promise.all(
    [{ format: 'json' }, {}].map((format) =>
      alpha.client.get(`/accounts/${alpha.accountId}/metrics`, { query: { ...window, ...format } }),
    ),
  );
  expect(json?.body.data).toEqual(absent?.body.data);
});

test('only an account admin gets a file by workspace, and others one of their own workspaces', async () => {
  const member = await api.user({ account: 'member', memberOf: api.workspace });
  const of = { accountId: api.accountId, key: member.key };
  expect((await csv(of, { groupBy: 'workspace' })).status).toBe(403);
  expect((await csv(of)).status).toBe(200);
});

describe('a file of several pages', () => {
  // A page of 50 years by month has fewer than 300 groups.
  const long = { startTime: '1971-01-01T00:00:00Z', groupBy: 'resource_name', resolution: 'monthly' };
  const names = Array.from({ length: 700 }, (_, index) => `many-${index}`);
  let many: FurtherAccount;

  beforeAll(async () => {
    many = await account('delta');
    await record(many, names, [base + hourMs]);
  });

  test('has every group once', async () => {
    await withPageReads(api.database, 3, async () => {
      const [, ...lines] = linesOf(await (await csv(many, long)).text());
      expect(lines.map((line) => line.split(',')[2])).toEqual(names.toReversed());
    });
  });

  test('breaks off when a later page fails: the client gets an error and never a shorter file', async () => {
    await withPageReads(api.database, 2, async () => {
      const answer = await csv(many, long);
      expect(answer.status).toBe(200);
      await expect(answer.text()).rejects.toThrow('terminated');
    });
  });

  test('answers with the status of the error when the first page fails', async () => {
    await withPageReads(api.database, 0, async () => {
      const answer = await csv(many, long);
      expect([answer.status, answer.headers.get('content-disposition')]).toEqual([503, null]);
      expect((await errorOf(answer)).error).toBe('unavailable');
    });
  });
});

test('while ClickHouse is away there is no file but the error of metrics', async () => {
  await clickhouse.kill();
  const answer = await csv(alpha);
  expect([answer.status, (await errorOf(answer)).error]).toEqual([503, 'metrics_unreachable']);
  await clickhouse.start();
  expect((await csv(alpha)).status).toBe(200);
});
