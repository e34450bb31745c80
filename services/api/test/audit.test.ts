// The audit log: its content, its readers, and that no secret is shown without a row.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

interface Entry {
  readonly at: string;
  readonly action: string;
  readonly target: string;
  readonly keyId?: string;
}

const entries = async (query: Record<string, string | number> = {}): Promise<Entry[]> =>
  (await api.admin.get('/audit', { query })).body.data;

const secretAgent = async (name: string) => {
  const envs = [{ name: 'S', value: 'hush', secret: true }];
  const runtime = { image: 'registry.example.org/a:1', envs };
  expect((await api.admin.post('/agents', { metadata: { name }, spec: { runtime } })).status).toBe(200);
};

describe('no secret is shown without a row in the audit log', () => {
  test('show_secrets', async () => {
    await secretAgent('shown');
    await api.admin.get('/agents/shown');
    expect(await entries({ action: 'agent.read-secrets' })).toEqual([]);
    const answer = await api.admin.get('/agents/shown', { query: { show_secrets: true } });
    expect(answer.text).toContain('hush');
    const [own] = (await api.admin.get('/profile/api_keys')).body;
    expect(await entries({ action: 'agent.read-secrets' })).toEqual([
      {
        at: expect.any(String),
        action: 'agent.read-secrets',
        target: 'agent/shown',
        subject: own.sub,
        subjectType: 'user',
        keyId: own.id,
        address: '127.0.0.1',
        uses: 1,
        requestId: answer.headers.get('x-request-id'),
        workspaceId: expect.any(String),
      },
    ]);
    const member = await api.user({ memberOf: api.workspace });
    expect((await member.client.get('/agents/shown', { query: { show_secrets: true } })).status).toBe(403);
    expect(await entries({ action: 'agent.read-secrets' })).toHaveLength(1);
  });

  test('not when the row cannot be written', async () => {
    await secretAgent('unseen');
    await api.database.schema.alterTable('audit_log').renameTo('audit_log_away').execute();
    try {
      const answer = await api.admin.get('/agents/unseen', { query: { show_secrets: true } });
      expect([answer.status, answer.text.includes('hush')]).toEqual([500, false]);
    } finally {
      await api.database.schema.alterTable('audit_log_away').renameTo('audit_log').execute();
    }
  });

  test('lists of preview tokens', async () => {
    expect(
      (
        await api.admin.post('/sandboxes', {
          metadata: { name: 'box' },
          spec: { runtime: { ports: [{ target: 8000 }] } },
        })
      ).status,
    ).toBe(200);
    const preview = { metadata: { name: 'p' }, spec: { port: 8000, public: false } };
    expect((await api.admin.post('/sandboxes/box/previews', preview)).status).toBe(200);
    const tokens = '/sandboxes/box/previews/p/tokens';
    await api.admin.post(tokens, { metadata: { name: 't' }, spec: {} });
    expect((await api.admin.get(tokens)).body).toHaveLength(1);
    expect(await entries({ action: 'preview-token.read' })).toMatchObject([{ target: 'preview/p' }]);
  });

  test('a key that is shown again for the same Idempotency-Key', async () => {
    const user = await api.user({ account: 'member' });
    const headers = { 'idempotency-key': 'twice' };
    const made = await user.client.post('/profile/api_keys', {}, { headers });
    expect((await user.client.post('/profile/api_keys', {}, { headers })).body.apiKey).toBe(made.body.apiKey);
    const { body } = await api.admin.get(`/accounts/${api.accountId}/audit`, { query: { subject: user.id } });
    expect(body.data.map(({ action, target }: Entry) => [action, target])).toEqual([
      ['api-key.create.repeated', ''],
      ['api-key.create', `api-key/${made.body.id}`],
    ]);
  });
});

describe('the audit log of a workspace', () => {
  test('is read in pages, newest first, without a gap or a repetition', async () => {
    for (let count = 0; count < 7; count += 1)
      await api.admin.post('/drives', { metadata: { name: `paged-${count}` }, spec: {} });
    const seen: string[] = [];
    let cursor = '';
    for (;;) {
      const query = { action: 'drive.create', limit: 3, ...(cursor === '' ? {} : { cursor }) };
      const { body } = await api.admin.get('/audit', { query });
      seen.push(...body.data.map(({ target }: Entry) => target));
      expect(body.data.length).toBeLessThanOrEqual(3);
      if (!body.meta.hasMore) break;
      cursor = body.meta.nextCursor;
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((count) => `drive/paged-${count}`));
    const other = { action: 'drive.delete', cursor };
    expect((await api.admin.get('/audit', { query: other })).status).toBe(400);
  });

  test('is narrowed by time, subject and key', async () => {
    const user = await api.user({ memberOf: api.workspace });
    await user.client.post('/drives', { metadata: { name: 'theirs' }, spec: {} });
    const [row, ...others] = await entries({ subject: user.id });
    expect([row?.target, others]).toEqual(['drive/theirs', []]);
    expect(await entries({ keyId: row?.keyId ?? '' })).toEqual([row]);
    expect(await entries({ subject: user.id, from: row?.at ?? '' })).toEqual([row]);
    expect(await entries({ subject: user.id, to: row?.at ?? '' })).toEqual([]);
  });

  test('holds nothing of another workspace; that of the account holds both, for its admins alone', async () => {
    await api.addWorkspace('elsewhere');
    await api.admin.with({ workspace: 'elsewhere' }).post('/drives', { metadata: { name: 'far' }, spec: {} });
    expect((await entries({ action: 'drive.create', limit: 200 })).map(({ target }) => target)).not.toContain(
      'drive/far',
    );
    const path = `/accounts/${api.accountId}/audit`;
    const targets = (await api.admin.get(path, { query: { limit: 200 } })).body.data.map(({ target }: Entry) => target);
    expect(targets).toEqual(expect.arrayContaining(['drive/far', 'drive/paged-0']));
    const member = await api.user({ account: 'member', memberOf: api.workspace, role: 'admin' });
    expect((await member.client.get(path)).status).toBe(403);
  });
});
