// Monthly statements as they are read: exact, in order, and without ClickHouse. The rows are written as orchestrators write
// them.
import { uuidv7 } from '@berth/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addAccount, type FurtherAccount } from '../../../tests/harness/tenant.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

const dayMs = 86_400_000;

let api: TestApi;
let alpha: FurtherAccount;

const workspaceId = (digit: string): string => `${digit.repeat(8)}-0000-7000-8000-000000000000`;
const [first, second, third] = [workspaceId('1'), workspaceId('2'), workspaceId('3')];

beforeAll(async () => {
  // Without ClickHouse.
  api = await startTestApi();
  alpha = await addAccount(api, 'alpha');
  const { accountId } = alpha;
  const sandbox = 'sandbox_compute_runtime_gbs';
  await store(accountId, '2026-01', [['2026-01', first, 'alpha-space', sandbox, 3_600_000_000n, 41_400_000_000n]]);
  await store(accountId, '2026-02', [
    ['2026-02', third, 'other', sandbox, 1n, 12n],
    ['2026-02', second, 'other', sandbox, 2n, 23n],
    ['2026-02', first, 'alpha-space', 'volume_storage_gbs', 5_500_000n, 9_007_199_254_740_993_000_000_000_001n],
    ['2026-02', first, 'alpha-space', sandbox, 1_000_000n, 2_000_000_000_000n],
    ['2026-01', first, 'alpha-space', sandbox, -600_000_000n, -6_900_000_000n],
    ['2025-12', first, '=HYPERLINK("x"),', sandbox, 1_000_000n, 11_500_000n],
  ]);
});
afterAll(() => api[Symbol.asyncDispose]());

type Line = readonly [usageMonth: string, workspaceId: string, workspace: string, string, micro: bigint, pico: bigint];

async function store(accountId: string, month: string, lines: readonly Line[]): Promise<void> {
  const total = lines.reduce((sum, [, , , , , pico]) => sum + pico, 0n);
  await api.database
    .insertInto('statements')
    .values({ account_id: accountId, month, pico: String(total) })
    .execute();
  await api.database
    .insertInto('statement_lines')
    .values(
      lines.map(([usage_month, workspace_id, workspace, billing_dimension, micro, pico]) => ({
        ...{ account_id: accountId, month, usage_month, workspace_id, workspace, billing_dimension },
        ...{ micro: String(micro), pico: String(pico) },
      })),
    )
    .execute();
}

const read = (path: string, query = {}) =>
  alpha.client.get(`/accounts/${alpha.accountId}/statements${path}`, { query });

describe('statements', () => {
  test('are listed newest first, each with its total', async () => {
    const { status, body, text } = await read('');
    expect(status).toBe(200);
    expect(body.map(({ month }: { month: string }) => month)).toEqual(['2026-02', '2026-01']);
    expect(body[1]).toEqual({ month: '2026-01', frozenAt: expect.any(String), totalCost: 0.0414 });
    expect(text).toContain('"totalCost":9007199254740994.993111500036');
  });

  test('have their lines by month of usage, workspace and dimension, with negative differences and every digit', async () => {
    const { status, body, text } = await read('/2026-02');
    expect(status).toBe(200);
    const shown = body.lines.map((line: Record<string, unknown>) => [
      ...[line.usageMonth, line.workspace, line.billingDimension, line.usage],
    ]);
    expect(shown).toEqual([
      ['2026-02', 'alpha-space', 'sandbox_compute_runtime_gbs', 1],
      ['2026-02', 'alpha-space', 'volume_storage_gbs', 5.5],
      ['2026-02', 'other', 'sandbox_compute_runtime_gbs', 0.000002],
      ['2026-02', 'other', 'sandbox_compute_runtime_gbs', 0.000001],
      ['2026-01', 'alpha-space', 'sandbox_compute_runtime_gbs', -600],
      ['2025-12', '=HYPERLINK("x"),', 'sandbox_compute_runtime_gbs', 1],
    ]);
    expect(text).toContain('"usage":5.5,"cost":9007199254740993.000000000001}');
    expect(text).toContain('"usage":-600,"cost":-0.0069}');
  });

  test('are tables as CSV, in which no name is a formula and negative numbers stay numbers', async () => {
    const url = `${api.url}/v0/accounts/${alpha.accountId}/statements/2026-02?format=csv`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${alpha.key}` } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="statement-2026-02.csv"');
    expect(await answer.text()).toBe(
      [
        'usageMonth,workspace,billingDimension,usage,cost',
        '2026-02,alpha-space,sandbox_compute_runtime_gbs,1,2',
        '2026-02,alpha-space,volume_storage_gbs,5.5,9007199254740993.000000000001',
        '2026-02,other,sandbox_compute_runtime_gbs,0.000002,0.000000000023',
        '2026-02,other,sandbox_compute_runtime_gbs,0.000001,0.000000000012',
        '2026-01,alpha-space,sandbox_compute_runtime_gbs,-600,-0.0069',
        `2025-12,"'=HYPERLINK(""x""),",sandbox_compute_runtime_gbs,1,0.0000115`,
        '',
      ].join('\r\n'),
    );
  });

  test('of a month without usage have no lines', async () => {
    await store(api.accountId, '2026-03', [['2026-03', uuidv7(), 'main', 'volume_storage_gbs', 1n, 1n]]);
    await api.database
      .insertInto('statements')
      .values({ account_id: api.accountId, month: '2026-04', pico: '0' })
      .execute();
    const { body } = await api.admin.get(`/accounts/${api.accountId}/statements/2026-04`);
    expect([body.totalCost, body.lines]).toEqual([0, []]);
  });
});

describe('a statement that does not exist is answered with 404', () => {
  test('which says from which day on it exists, while that is to come', async () => {
    api.advance(Date.parse('2027-11-30T12:00:00Z') - Date.now());
    const ask = async (month: string) => (await read(`/${month}`)).body;
    expect(await ask('2027-11')).toMatchObject({ error: 'statement_not_due', code: 404 });
    expect((await ask('2027-11')).message).toContain('The statement of 2027-11 is made on 2027-12-04 or later');
    expect((await ask('2027-12')).message).toContain('2028-01-04');
    expect((await ask('9999-12')).error).toBe('statement_not_due');
    // Three days after the end of November.
    api.advance(3 * dayMs + 11 * 3_600_000);
    expect((await ask('2027-11')).error).toBe('statement_not_due');
    api.advance(2 * 3_600_000);
    expect(await ask('2027-11')).toMatchObject({ error: 'no_statement', code: 404 });
    expect((await ask('2027-11')).message).toContain(`GET /accounts/${alpha.accountId}/statements`);
  });

  test.each(['2026', '2026-13', '2026-00', '26-01', '2026-1', '2026-01-01', '0000-01', 'current', '%00', "'"])(
    'when %j names no month, or one without a statement',
    async (text) => {
      expect((await read(`/${encodeURIComponent(text)}`)).status).toBe(404);
    },
  );
});

test('statements of an account are for its admins, and those of another account look missing', async () => {
  const member = await api.user({ account: 'member', memberOf: api.workspace, role: 'admin' });
  for (const path of ['', '/2026-03']) {
    const own = await member.client.get(`/accounts/${api.accountId}/statements${path}`);
    expect([own.status, own.body.error]).toEqual([403, 'role_required']);
    const foreign = await api.admin.get(`/accounts/${alpha.accountId}/statements${path}`);
    expect([foreign.status, foreign.body.error]).toEqual([404, 'not_found']);
  }
});
