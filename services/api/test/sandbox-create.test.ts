import { setTimeout as sleep } from 'node:timers/promises';
import { SandboxError } from '@berth/contract';
import { DesiredInstance } from '@berth/contract/node';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiWithFakeRunners, named } from './api-with-fake-runners.ts';

let deployment: ApiWithFakeRunners;
beforeEach(async () => {
  deployment = await ApiWithFakeRunners.start();
});
afterEach(() => deployment[Symbol.asyncDispose]());

const make = (name: string, spec: object = {}, query: Record<string, boolean> = {}) =>
  deployment.api.admin.post('/sandboxes', named(name, spec), { query });
const read = (name: string) => deployment.api.admin.get(`/sandboxes/${name}`);
/** Waits until the create has written its row. */
const written = (name: string) => vi.waitFor(() => deployment.resource(name), 30_000);

describe('with a warm sandbox', () => {
  test('a create answers with it: deployed, running, and how it is isolated in words', async () => {
    const { id } = await deployment.addRunner({ waiting: 1 });
    const { status, body } = await make('claimed', { runtime: { envs: [{ name: 'A', value: 'b' }], ttl: '1h' } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'DEPLOYED', state: 'RUNNING', nodeGeneration: 'mk3.0' });
    expect(body.events).toHaveLength(1);
    expect(body.events[0]).toMatchObject({ status: 'DEPLOYED', message: expect.stringContaining('kernel') });
    expect(body.expiresIn).toBeGreaterThan(3590);
    expect(body.lastUsedAt).toEqual(expect.any(String));
    expect((await read('claimed')).body).toMatchObject({ status: 'DEPLOYED', state: 'RUNNING' });
    const [instance] = await deployment.instances('claimed');
    expect(instance).toMatchObject({ runner_id: id, pool: null, generation: 2, revision: 'boot-1' });
    expect((await deployment.resource('claimed')).state).toMatchObject({ boot: 1 });
  });

  test('the runner is called directly, with decrypted secrets, before the client is answered', async () => {
    const runner = await deployment.addRunner({ waiting: 1 });
    let isAnswered = false;
    runner.answer = async () => {
      await sleep(300);
      expect(isAnswered).toBe(false);
      return { call: 'done' };
    };
    const envs = [{ name: 'TOKEN', value: 'open sesame', secret: true }];
    const { text } = await make('told', { runtime: { envs, memory: 2048 } });
    isAnswered = true;
    expect(text).not.toContain('open sesame');
    expect(runner.heard).toHaveLength(1);
    const adopted = DesiredInstance.parse(runner.heard[0]?.body);
    const [instance] = await deployment.instances('told');
    expect(adopted).toMatchObject({ id: instance?.id, generation: 2, revision: 'boot-1', memoryMb: 2048 });
    expect(adopted.env).toMatchObject({ TOKEN: 'open sesame', SERVICE_NAME: 'told' });
    expect(JSON.stringify(instance?.spec)).not.toContain('open sesame');
  });

  test('a runner that cannot be called does not fail the create: its stream brings it', async () => {
    await deployment.addRunner({ waiting: 1, isDeaf: true });
    const { status, body } = await make('unheard');
    expect([status, body.status]).toEqual([200, 'DEPLOYED']);
  });

  test('a dead warm sandbox is replaced by a cold start, and the client waits for it', async () => {
    const runner = await deployment.addRunner({ waiting: 1 });
    runner.answer = () => ({ call: 'failed', message: 'It has ended.' });
    const answered = make('dead');
    await vi.waitFor(async () => expect((await deployment.resource('dead')).status).toBe('DEPLOYING'), 30_000);
    expect((await deployment.resource('dead')).state).toMatchObject({ boot: 2 });
    expect(await deployment.instances('dead')).toMatchObject([{ desired: 'gone', revision: 'boot-1' }]);
    await deployment.settle('dead', 'DEPLOYED');
    expect((await answered).body).toMatchObject({ status: 'DEPLOYED' });
  });

  test('twenty at once over twenty that wait all get one, each its own', async () => {
    await deployment.addRunner({ waiting: 20 });
    const made = await Promise.all(Array.from({ length: 20 }, (_, index) => make(`many-${index}`)));
    expect(made.map(({ body }) => body.status)).toEqual(Array.from({ length: 20 }, () => 'DEPLOYED'));
    const rows = await deployment.api.database.selectFrom('instances').select(['id', 'resource_uid']).execute();
    expect(new Set(rows.map(({ resource_uid }) => resource_uid)).size).toBe(20);
  });

  test('a create that is refused after its claim gives the warm sandbox back', async () => {
    await using few = await ApiWithFakeRunners.start({ config: { limits: { sandboxes: 1 }, tiers: {} } });
    await few.addRunner({ waiting: 2 });
    expect((await few.api.admin.post('/sandboxes', named('a'))).status).toBe(200);
    expect((await few.api.admin.post('/sandboxes', named('b'))).status).toBe(403);
    const waiting = await few.api.database.selectFrom('instances').select('id').where('pool', 'is not', null).execute();
    expect(waiting).toHaveLength(1);
  });
});

describe('without a warm sandbox', () => {
  test('the client is answered at once when no runner can take it', async () => {
    const { body } = await make('nobody');
    expect(body).toMatchObject({ status: 'DEPLOYING', events: [{ message: 'Waiting for a runner.' }] });
  });

  test.for(['DEPLOYED', 'FAILED'] as const)('the client is answered when it is %s', async (status) => {
    await deployment.addRunner();
    const answered = make('cold');
    await written('cold');
    await sleep(200);
    await deployment.settle('cold', status);
    expect((await answered).body.status).toBe(status);
  });

  test('R-62: a start that takes too long is answered with the record as it stands, and goes on', async () => {
    await using hasty = await ApiWithFakeRunners.start({ config: { createWaitSeconds: 0.3 } });
    await hasty.addRunner();
    const { status, body } = await hasty.api.admin.post('/sandboxes', named('slow'));
    expect([status, body.status]).toEqual([200, 'DEPLOYING']);
    await hasty.settle('slow', 'DEPLOYED');
    expect((await hasty.api.admin.get('/sandboxes/slow')).body.status).toBe('DEPLOYED');
  });

  test('a lost notice costs a moment', async () => {
    await deployment.addRunner();
    const answered = make('quiet');
    const { uid } = await written('quiet');
    await deployment.api.database.updateTable('resources').set({ status: 'DEPLOYED' }).where('uid', '=', uid).execute();
    expect((await answered).body.status).toBe('DEPLOYED');
  });

  test('the client does not wait for a disabled sandbox', async () => {
    await deployment.addRunner({ waiting: 1 });
    expect((await make('off', { enabled: false })).body.status).toBe('DEACTIVATED');
    expect(await deployment.instances('off')).toEqual([]);
  });

  test('an api that stops answers the clients that wait', async () => {
    const other = await ApiWithFakeRunners.start();
    await other.addRunner();
    const answered = other.api.admin.post('/sandboxes', named('stopping'));
    await vi.waitFor(() => other.resource('stopping'), 30_000);
    await sleep(100);
    await other[Symbol.asyncDispose]();
    expect((await answered).body.status).toBe('DEPLOYING');
  });
});

describe('names', () => {
  test('409 SANDBOX_ALREADY_EXISTS while a live record exists; with a reason while it is still being created', async () => {
    await deployment.addRunner({ waiting: 1 });
    await make('taken');
    const { status, body } = await make('taken');
    expect([status, body.code, body.reason]).toEqual([409, 'SANDBOX_ALREADY_EXISTS', undefined]);
    await using slow = await ApiWithFakeRunners.start({ config: { createWaitSeconds: 0.1 } });
    await slow.addRunner();
    await slow.api.admin.post('/sandboxes', named('making'));
    const again = await slow.api.admin.post('/sandboxes', named('making'));
    expect(again.body).toMatchObject({ code: 'SANDBOX_ALREADY_EXISTS', reason: 'CREATION_IN_PROGRESS' });
    expect(SandboxError.parse(again.body)).toEqual(again.body);
  });

  test('createIfNotExist returns the existing sandbox, also when it has to wait for it', async () => {
    await deployment.addRunner({ waiting: 1 });
    const first = await make('there', {}, { createIfNotExist: true });
    expect((await make('there', {}, { createIfNotExist: true })).body).toEqual(first.body);
    expect(await deployment.instances('there')).toHaveLength(1);
  });

  test('a repeated request with the same Idempotency-Key gets the same sandbox, as the first client saw it', async () => {
    await deployment.addRunner();
    const headers = { 'idempotency-key': 'once' };
    const send = () => deployment.api.admin.post('/sandboxes', named('once'), { headers });
    const first = send();
    await written('once');
    const meanwhile = await send();
    expect([meanwhile.status, meanwhile.body.status]).toEqual([200, 'DEPLOYING']);
    await deployment.settle('once', 'DEPLOYED');
    expect((await first).body.status).toBe('DEPLOYED');
    expect((await send()).text).toBe((await first).text);
  });

  test('a failed one makes room, and its instance goes', async () => {
    await deployment.addRunner({ waiting: 2 });
    await make('failing');
    const [old] = await deployment.instances('failing');
    await deployment.settle('failing', 'FAILED');
    expect((await make('failing')).body.status).toBe('DEPLOYED');
    const row = await deployment.api.database
      .selectFrom('instances')
      .selectAll()
      .where('id', '=', old?.id ?? '')
      .execute();
    expect(row).toMatchObject([{ desired: 'gone' }]);
  });

  test.for([
    ['no name of that form', { metadata: { name: 'UPPER' }, spec: {} }, 400],
    ['an unknown region', named('a', { region: 'moon' }), 400],
    ['an unknown volume', named('a', { volumes: [{ name: 'none', mountPath: '/v' }] }), 400],
    ['an unknown VPC', named('a', { vpc: 'none' }), 400],
  ] as const)('%s is refused in the sandbox form', async ([, body, status]) => {
    const answer = await deployment.api.admin.post('/sandboxes', body);
    expect(answer.status).toBe(status);
    expect(SandboxError.parse(answer.body)).toMatchObject({ status_code: status, workspace: 'main' });
  });

  test('a sandbox that asks for a shared kernel is refused where the operator does not allow it', async () => {
    const placement = { sandboxes: { defaultImage: 'example/sandbox:1' } };
    await using strict = await ApiWithFakeRunners.start({ placement: { ...placement, runcFor: 'mk2-workloads' } });
    await strict.addRunner({ waiting: 1 });
    const { admin } = strict.api;
    const refused = await admin.post('/sandboxes', named('shared', { runtime: { generation: 'mk2' } }));
    expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(/placement\.runcFor.*use mk3/)]);
    const made = await admin.post('/sandboxes', named('own', { runtime: { generation: 'mk3' } }));
    expect([made.status, made.body.status]).toEqual([200, 'DEPLOYING']);
    const agent = { metadata: { name: 'a' }, spec: { runtime: { image: 'example/agent:1', generation: 'mk2' } } };
    expect((await admin.post('/agents', agent)).status).toBe(200);
    await using strictest = await ApiWithFakeRunners.start({ placement: { ...placement, runcFor: 'nothing' } });
    for (const path of ['/agents', '/functions'])
      expect((await strictest.api.admin.post(path, agent)).body.error).toBe('runc_not_allowed');
  });

  test('without an image of its own or of the operator it is refused as INVALID_IMAGE', async () => {
    await using bare = await ApiWithFakeRunners.start({ placement: {} });
    const { status, body } = await bare.api.admin.post('/sandboxes', named('bare'));
    expect([status, body.code]).toEqual([400, 'INVALID_IMAGE']);
    const made = await bare.api.admin.post('/sandboxes', named('bare', { runtime: { image: 'debian' } }));
    expect(made.status).toBe(200);
    const cleared = await bare.api.admin.put('/sandboxes/bare', named('bare', { runtime: {} }));
    expect([cleared.status, cleared.body.error]).toEqual([400, 'image_required']);
  });
});
