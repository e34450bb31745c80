// Many concurrent requests. In whatever order they end: a name has one owner, a limit holds, a repeated request has one
// effect, and the counters equal the rows.
import { kinds, operations } from '@berth/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Client } from '../../../tests/harness/client.ts';
import { wrongCounters } from '../../../tests/harness/counters.ts';
import { seed } from '../../../tests/harness/size.ts';
import { createEverything, fill, itemBody, itemName, tenantRegions } from '../../../tests/harness/tenant.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';
import { removeDeleted } from '../../orchestrator/test/remove-deleted.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: { regions: tenantRegions, dnsServers: ['127.0.0.1:1'], statementSeconds: 60 } });
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

function tally(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe('one name', () => {
  test('of 200 creations at once exactly one succeeds and the others are told that the name is taken', async () => {
    const answers = await times(200, () => api.admin.post('/drives', named('wanted')));
    expect(tally(answers)).toEqual({ 200: 1, 409: 199 });
    expect(await wrongCounters(api)).toEqual([]);
  });

  test.each(kinds.filter(({ parents, kind }) => parents === undefined && kind !== 'drive'))(
    'of 20 creations of a $kind at once exactly one succeeds',
    async (kind) => {
      const body = itemBody(kind, itemName(kind, 'same'), 'same');
      const spec = kind.kind === 'agent' ? {} : body.spec;
      const answers = await times(20, () => api.admin.post(kind.path, { ...body, spec }));
      expect(tally(answers)).toEqual({ 200: 1, 409: 19 });
      expect(await wrongCounters(api)).toEqual([]);
    },
  );

  test('of a domain is won by one of many workspaces', async () => {
    const workspaces = ['dom-one', 'dom-two', 'dom-three', 'dom-four'];
    for (const name of workspaces) await api.addWorkspace(name);
    const ask = (index: number) =>
      api.admin
        .with({ workspace: workspaces[index % workspaces.length] })
        .post('/customdomains', named('contested.example.com', { domainType: 'previews' }));
    expect(tally(await times(40, ask))).toEqual({ 200: 1, 409: 39 });
    expect(await wrongCounters(api)).toEqual([]);
  });

  test('asked for with createIfNotExist is created once and returned to every caller', async () => {
    const query = { createIfNotExist: true };
    const answers = await times(50, () => api.admin.post('/sandboxes', named('shared'), { query }));
    expect(tally(answers)).toEqual({ 200: 50 });
    expect(new Set(answers.map(({ body }) => body.metadata.createdAt)).size).toBe(1);
    expect(await wrongCounters(api)).toEqual([]);
  });

  test('of a workspace has one owner', async () => {
    const answers = await times(30, () => api.admin.post('/workspaces', { name: 'contested' }));
    expect(tally(answers)).toEqual({ 200: 1, 409: 29 });
  });
});

describe('a limit', () => {
  test('of 10 sandboxes is never passed by 100 creations at once, and counts what is there after deletions', async () => {
    await using small = await startTestApi({ tier: 'tier_0' });
    await small.addWorkspace('second');
    const clients = [small.admin, small.admin.with({ workspace: 'second' })];
    const create = (index: number, round: string) =>
      (clients[index % 2] as Client).post('/sandboxes', named(`${round}-${index}`));
    const first = await times(100, (index) => create(index, 'first'));
    expect(tally(first)).toEqual({ 200: 10, 403: 90 });
    expect(new Set(first.filter(({ status }) => status === 403).map(({ body }) => body.code))).toEqual(
      new Set(['QUOTA_EXCEEDED']),
    );
    expect(await wrongCounters(small)).toEqual([]);
    const made = first.flatMap(({ status, body }) => (status === 200 ? [body.metadata] : []));
    const gone = made.slice(0, 6);
    // Each resource is deleted three times at once: only one deletion may release its quota.
    const deletions = await Promise.all(
      [...gone, ...gone, ...gone].map(({ name, workspace }) =>
        small.admin.with({ workspace }).delete(`/sandboxes/${name}`),
      ),
    );
    expect(tally(deletions)).toEqual({ 200: 6, 404: 12 });
    expect(await wrongCounters(small)).toEqual([]);
    expect(tally(await times(100, (index) => create(index, 'second')))).toEqual({ 200: 6, 403: 94 });
    const live = await small.database
      .selectFrom('resources')
      .select('uid')
      .where('kind', '=', 'sandbox')
      .where('terminated_at', 'is', null)
      .execute();
    expect(live).toHaveLength(10);
    expect(await wrongCounters(small)).toEqual([]);
  });

  test('holds while creations and deletions of the same names cross', async () => {
    await using small = await startTestApi({ tier: 'tier_0' });
    let most = 0;
    const watch = async () => {
      const { body } = await small.admin.get('/sandboxes', { query: { limit: 200 } });
      most = Math.max(most, body.data.length, body.meta.total);
    };
    for (let round = 0; round < 8; round += 1) {
      const answers = await times(60, async (index) => {
        if (index % 10 === 9) await watch();
        const name = `s-${(index * 7) % 20}`;
        return index % 3 === 0 ? small.admin.delete(`/sandboxes/${name}`) : small.admin.post('/sandboxes', named(name));
      });
      for (const { status, text } of answers) expect([200, 403, 404, 409], text).toContain(status);
    }
    expect(most).toBeGreaterThan(5);
    expect(most).toBeLessThanOrEqual(10);
    expect(await wrongCounters(small)).toEqual([]);
  });
});

describe('an Idempotency-Key', () => {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

  test('sent 30 times at once and once more later has one effect and one answer', async () => {
    const ask = () => api.admin.post('/service_accounts', { name: 'once' }, keyed('robot'));
    const answers = [...(await times(30, ask)), await ask()];
    expect(tally(answers)).toEqual({ 200: 31 });
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const { body } = await api.admin.get('/service_accounts');
    expect(body.filter(({ name }: { name: string }) => name === 'once')).toHaveLength(1);
  });

  test('sent with another body is refused, whichever of the two came first', async () => {
    const ask = (name: string) => api.admin.post('/drives', named(name), keyed('two-bodies'));
    const answers = await times(20, (index) => ask(index % 2 === 0 ? 'even' : 'odd'));
    expect(tally(answers)).toEqual({ 200: 10, 422: 10 });
    const winner = answers.find(({ status }) => status === 200)?.body.metadata.name;
    const loser = winner === 'even' ? 'odd' : 'even';
    expect((await ask(loser)).body.error).toBe('idempotency_key_reused');
    expect((await ask(winner)).status).toBe(200);
    expect((await api.admin.get(`/drives/${loser}`)).status).toBe(404);
    // The URL is part of the request's hash.
    const elsewhere = { ...keyed('two-bodies'), query: { workspace: api.workspace } };
    expect((await api.admin.post('/drives', named(winner), elsewhere)).status).toBe(422);
  });

  test('belongs to its caller, its workspace and its operation', async () => {
    const other = await api.user({ memberOf: api.workspace, role: 'admin' });
    await api.addWorkspace('keys');
    const asked = keyed('common');
    expect((await api.admin.post('/volumes', named('common'), asked)).status).toBe(200);
    expect((await other.client.post('/volumes', named('common'), asked)).status).toBe(409);
    expect((await other.client.post('/volumes', named('of-another'), asked)).status).toBe(200);
    expect((await api.admin.with({ workspace: 'keys' }).post('/volumes', named('common'), asked)).status).toBe(200);
    expect((await api.admin.post('/agents', named('common'), asked)).status).toBe(200);
  });

  test('is free again after a refusal, since nothing happened', async () => {
    const asked = keyed('refused');
    const field = { metadata: { name: 'later' }, spec: { region: 'nowhere' } };
    expect((await api.admin.post('/drives', field, asked)).status).toBe(400);
    expect((await api.admin.post('/drives', named('later'), asked)).status).toBe(200);
  });

  test('keeps its answer encrypted: no answer of any POST stands in the table in clear', async () => {
    const secret = 'a-secret-nobody-may-read';
    const asked = keyed('sealed');
    const envs = [{ name: 'TOKEN', value: secret, secret: true }];
    const robot = await api.admin.post('/service_accounts', { name: secret }, asked);
    const key = await api.admin.post(`/service_accounts/${robot.body.client_id}/api_keys`, { name: secret }, asked);
    const own = await api.admin.post('/profile/api_keys', { name: secret }, asked);
    const agent = await api.admin.post('/agents', named('sealed', { runtime: { envs } }), asked);
    const token = await api.admin.post('/drives/wanted/access-token', undefined, asked);
    const answers = [robot, key, own, agent, token];
    expect(tally(answers)).toEqual({ 200: 5 });
    const revealing = operations.filter(({ secretAnswer, method }) => secretAnswer === true && method === 'POST');
    expect(revealing.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['createServiceAccount', 'createServiceAccountKey', 'createProfileKey', 'createAgent']),
    );
    const rows = await api.database.selectFrom('idempotency_keys').selectAll().execute();
    expect(rows.length).toBeGreaterThan(answers.length);
    for (const { answer } of rows) expect(answer).toMatch(/^v1\.[\w-]{20,}$/);
    const stored = JSON.stringify(rows);
    for (const text of [secret, robot.body.client_secret, key.body.apiKey, own.body.apiKey, token.body.access_token]) {
      expect(stored.includes(text)).toBe(false);
      expect(stored.includes(Buffer.from(text).toString('base64url').slice(0, 24))).toBe(false);
    }
  });
});

describe('writes that cross', () => {
  test('PUT, DELETE and PUT of one drive never fail on our side, and the counters equal the rows', async () => {
    for (let round = 0; round < 6; round += 1) {
      const answers = await times(60, (index) =>
        index % 3 === 1
          ? api.admin.delete('/drives/crossed')
          : api.admin.put('/drives/crossed', { metadata: { displayName: `${index}` }, spec: {} }),
      );
      for (const { status, text } of answers) expect([200, 404, 409], text).toContain(status);
      expect(await wrongCounters(api)).toEqual([]);
    }
  });

  test('changes of one resource at once are all made, one after the other', async () => {
    await api.admin.post('/jobs', named('changed'));
    const answers = await times(40, (index) =>
      api.admin.put('/jobs/changed', { metadata: {}, spec: { runtime: { memory: 1024 + index } } }),
    );
    expect(tally(answers)).toEqual({ 200: 40 });
    const { generation } = await api.database
      .selectFrom('resources')
      .select('generation')
      .where('kind', '=', 'job')
      .where('name', '=', 'changed')
      .executeTakeFirstOrThrow();
    expect(Number(generation)).toBe(41);
    expect((await api.admin.get('/jobs/changed/revisions')).body).toHaveLength(5);
  });

  test('of all kinds in two workspaces, with limits, references and deletions, never lock each other out', async () => {
    await using busy = await startTestApi({
      config: {
        regions: tenantRegions,
        dnsServers: ['127.0.0.1:1'],
        limits: { sandboxes: 12, agents: 6, volumes: 8, policies: 5, jobs: 5 },
        tiers: { tier_9: {} },
      },
    });
    await busy.addWorkspace('second');
    const clients = [busy.admin, busy.admin.with({ workspace: 'second' })];
    for (const [index, client] of clients.entries()) await createEverything(client, `base-${index}`);
    const flat = kinds.filter(({ parents }) => parents === undefined);
    const step = fc.record({
      place: fc.nat({ max: 1 }),
      kind: fc.constantFrom(...flat),
      name: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
      action: fc.constantFrom('create', 'create', 'change', 'delete', 'list', 'start'),
      volumes: fc.subarray(['a', 'b', 'c', 'd', 'e', 'f'], { maxLength: 3 }),
      policies: fc.subarray(['a', 'b', 'c'], { maxLength: 2 }),
    });
    const steps = fc.sample(step, { numRuns: 900, seed });
    const run = async ({ place, kind, name, action, volumes, policies }: (typeof steps)[number]): Promise<Answer> => {
      const client = clients[place] as Client;
      const item = kind.kind === 'customdomain' ? `${name}.example.com` : name;
      const path = `${kind.path}/${item}`;
      const mounts = volumes.map((volume) => ({ name: volume, mountPath: `/${volume}` }));
      const spec = {
        ...(['agent', 'function'].includes(kind.kind) ? { policies } : {}),
        ...(kind.kind === 'agent' ? { volumes: mounts } : {}),
        ...(kind.kind === 'sandbox' ? { volumes: mounts.slice(0, 1) } : {}),
      };
      if (action === 'create') return client.post(kind.path, named(item, spec));
      if (action === 'change' && kind.permissions.replace !== undefined)
        return client.put(path, { metadata: { displayName: name }, spec });
      if (action === 'delete') return client.delete(path);
      if (action === 'start') return client.post(fill('/jobs/{jobId}/executions', { jobId: name }), {});
      return client.get(kind.path);
    };
    const answers: Answer[] = [];
    for (let from = 0; from < steps.length; from += 60)
      answers.push(...(await Promise.all(steps.slice(from, from + 60).map(run))));
    const failed = answers.filter(({ status }) => status >= 500);
    expect(
      failed.map(({ text }) => text),
      `seed ${seed}`,
    ).toEqual([]);
    const counts = tally(answers);
    expect(counts[200], JSON.stringify(counts)).toBeGreaterThan(200);
    expect(counts[403], JSON.stringify(counts)).toBeGreaterThan(0);
    expect(await wrongCounters(busy), `seed ${seed}`).toEqual([]);
  });

  test('into a workspace that is being deleted end in an answer, and nothing of it stays', async () => {
    for (let round = 0; round < 4; round += 1) {
      const workspace = `doomed-${round}`;
      await api.addWorkspace(workspace);
      const client = api.admin.with({ workspace });
      const answers = await times(60, (index) =>
        index === 30 ? client.delete(`/workspaces/${workspace}`) : client.post('/sandboxes', named(`s-${index}`)),
      );
      for (const { status, text } of answers) expect([200, 403, 404], text).toContain(status);
      expect(answers[30]?.status).toBe(200);
      await removeDeleted(api.database);
      expect(await wrongCounters(api)).toEqual([]);
    }
  });
});
