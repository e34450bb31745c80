// Effects of a change on a running sandbox. Control-plane sheet 3.4, with the decisions.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ApiWithFakeRunners, named } from './api-with-fake-runners.ts';

let deployment: ApiWithFakeRunners;
let runnerId: string;
let count = 0;
let name: string;
beforeAll(async () => {
  deployment = await ApiWithFakeRunners.start();
  ({ id: runnerId } = await deployment.addRunner());
});
afterAll(() => deployment[Symbol.asyncDispose]());

const runtime = { memory: 2048, envs: [{ name: 'A', value: '1' }] };
beforeEach(async () => {
  count += 1;
  name = `changed-${count}`;
  await deployment.addWaiting(runnerId);
  const { body } = await deployment.api.admin.post('/sandboxes', named(name, { runtime }));
  expect(body.status).toBe('DEPLOYED');
});

const change = (spec: object, query: Record<string, boolean> = {}) =>
  deployment.api.admin.put(`/sandboxes/${name}`, named(name, spec), { query });
const only = async () => {
  const [instance, ...others] = await deployment.instances(name);
  expect(others).toEqual([]);
  if (instance === undefined) throw new Error('no instance');
  return instance;
};

describe('in place, files kept', () => {
  test('U-21: changed envs go to the same instance under a higher generation, without an event', async () => {
    const before = await only();
    const { body } = await change({ runtime: { ...runtime, envs: [{ name: 'A', value: '2' }] } });
    expect([body.status, body.events.length]).toEqual(['DEPLOYED', 1]);
    const after = await only();
    expect([after.id, after.generation, after.revision]).toEqual([before.id, 3, 'boot-1']);
    expect(after.spec.env).toContainEqual({ name: 'A', value: '2' });
  });

  test('a secret that comes back masked is no change', async () => {
    const envs = [{ name: 'S', value: 'v', secret: true }];
    await change({ runtime: { ...runtime, envs } });
    const { generation } = await only();
    await change({ runtime: { ...runtime, envs: [{ name: 'S', value: '***', secret: true }] } });
    expect((await only()).generation).toBe(generation);
  });

  test('a row that the previous release wrote without a mode gets no new generation while nothing changes', async () => {
    const { id, generation } = await only();
    await sql`update instances set spec = spec - 'mode' where id = ${id}`.execute(deployment.api.database);
    await change({ runtime });
    expect((await only()).generation).toBe(generation);
    await change({ runtime: { ...runtime, envs: [] } });
    expect(await only()).toMatchObject({ id, generation: generation + 1, spec: { mode: 'sandbox' } });
  });

  test('ttl and expires move its end and nothing else', async () => {
    const { body } = await change({ runtime: { ...runtime, ttl: '2h' } });
    expect(body.expiresIn).toBeGreaterThan(7190);
    const { expires_at, created_at } = await deployment.resource(name);
    expect((expires_at?.getTime() ?? 0) - created_at.getTime()).toBe(7_200_000);
    expect((await only()).generation).toBe(2);
    await change({ runtime: { ...runtime, ttl: '' } });
    expect((await deployment.resource(name)).expires_at).toBeNull();
  });

  test('ttl-idle is told to the runner, which alone knows', async () => {
    const expirationPolicies = [{ type: 'ttl-idle', value: '30m' }];
    const { body } = await change({ lifecycle: { expirationPolicies } });
    expect(body.expiresIn).toBeGreaterThan(1790);
    expect(await only()).toMatchObject({ generation: 3, spec: { sandbox: { expiresIdleSeconds: 1800 } } });
    expect((await deployment.resource(name)).expires_at).toBeNull();
  });

  test('labels, display name, external id and network change nothing that runs', async () => {
    const metadata = { labels: { a: 'b' }, displayName: 'D', externalId: 'e-1' };
    const answer = await deployment.api.admin.put(`/sandboxes/${name}`, {
      metadata,
      spec: { network: { proxy: { bypass: [] } } },
    });
    expect([answer.body.status, answer.body.events.length]).toEqual(['DEPLOYED', 1]);
    expect((await only()).generation).toBe(2);
  });

  test('a sandbox that is asleep stays asleep', async () => {
    await sql`update instances set awake = false where id = ${(await only()).id}`.execute(deployment.api.database);
    expect((await change({ runtime: { ...runtime, ttl: '1h' } })).body.state).toBe('STANDBY');
  });
});

describe('anew, files lost', () => {
  test.for([
    ['memory', { runtime: { ...runtime, memory: 4096 } }],
    ['image', { runtime: { ...runtime, image: 'example/other:1' } }],
  ] as const)('a changed %s asks for another boot, and says so', async ([word, spec]) => {
    const { body } = await change(spec);
    expect([body.status, body.events.length]).toEqual(['DEPLOYING', 2]);
    expect(body.events[1].message).toContain(word);
    expect((await deployment.resource(name)).state).toMatchObject({ boot: 2, hostLabel: expect.any(String) });
    // The orchestrator retires the old instance when it starts the new one.
    expect(await only()).toMatchObject({ generation: 2, revision: 'boot-1', desired: 'running' });
  });

  test('U-21: ?restart=true reboots, whatever was sent', async () => {
    const { body } = await change({}, { restart: true });
    expect([body.status, body.events[1].message]).toEqual(['DEPLOYING', 'Begins anew on request.']);
    expect((await deployment.resource(name)).state).toMatchObject({ boot: 2 });
  });

  test('a failed sandbox starts again when its runtime is changed, not when its labels are', async () => {
    await deployment.settle(name, 'FAILED');
    expect((await change({ network: {} })).body.status).toBe('FAILED');
    const { body } = await change({ runtime: { ...runtime, envs: [] } });
    expect(body.status).toBe('DEPLOYING');
    expect((await deployment.resource(name)).state).toMatchObject({ boot: 2 });
  });
});

describe('enabled', () => {
  test('false deactivates: the instance stays and refuses callers', async () => {
    const { body } = await change({ enabled: false });
    expect([body.status, body.events[1].type]).toEqual(['DEACTIVATED', 'deactivation']);
    expect(await only()).toMatchObject({ desired: 'running', generation: 2 });
    expect((await change({ enabled: false })).body.events).toHaveLength(2);
  });

  test('true again finds it as it was', async () => {
    await change({ enabled: false });
    const { body } = await change({ enabled: true });
    expect(body.status).toBe('DEPLOYED');
    const said = body.events.map(({ status }: { status: string }) => status);
    expect(said).toEqual(['DEPLOYED', 'DEACTIVATED', 'DEPLOYING', 'DEPLOYED']);
    expect((await deployment.resource(name)).state).toMatchObject({ boot: 1 });
  });

  test('memory changed while it is off makes it begin anew when it is on', async () => {
    await change({ enabled: false });
    expect((await change({ runtime: { ...runtime, memory: 4096 } })).body.status).toBe('DEACTIVATED');
    expect((await change({ enabled: true })).body.status).toBe('DEPLOYING');
    expect((await deployment.resource(name)).state).toMatchObject({ boot: 2 });
  });
});

describe('deletion', () => {
  test('it is over in the request: TERMINATED, name free, instance told to go', async () => {
    const { body } = await deployment.api.admin.delete(`/sandboxes/${name}`);
    expect(body).toMatchObject({ status: 'TERMINATED', metadata: { name } });
    expect([body.state, body.expiresIn]).toEqual([undefined, undefined]);
    expect(await only()).toMatchObject({ desired: 'gone' });
    expect((await deployment.api.admin.get(`/sandboxes/${name}`)).body.status).toBe('TERMINATED');
    expect((await deployment.api.admin.delete(`/sandboxes/${name}`)).status).toBe(404);
    await deployment.addWaiting(runnerId);
    expect((await deployment.api.admin.post('/sandboxes', named(name))).body.status).toBe('DEPLOYED');
  });

  test('the failures of its instance are shown, oldest first', async () => {
    const { id } = await only();
    await sql`update instances set state = 'failed', code = 'out_of_memory', message = 'It was too big.',
      failed_at = clock_timestamp() where id = ${id}`.execute(deployment.api.database);
    await deployment.settle(name, 'FAILED');
    const { body } = await deployment.api.admin.get(`/sandboxes/${name}`);
    expect(body.errors).toEqual([
      { code: 'OUT_OF_MEMORY', message: 'It was too big.', instance: id, fatal: true, time: expect.any(String) },
    ]);
    expect(body.state).toBeUndefined();
  });
});
