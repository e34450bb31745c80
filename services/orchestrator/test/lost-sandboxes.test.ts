// An unreachable machine takes its sandboxes along and brings them back: they are never replaced by empty ones.

import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { wrongCounters } from '../../../tests/harness/counters.ts';
import { until } from '../../../tests/harness/until.ts';
import { runCommand } from '../../server/test/run-command.ts';
import { type ControlPlane, startControlPlane, tell } from './control-plane.ts';

const lostAfterSeconds = 4;
let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane({
    placement: { sandboxes: { defaultImage: 'example/sandbox:1', lostAfterSeconds } },
  });
  await controlPlane.startOrchestrator();
});
afterAll(() => controlPlane[Symbol.asyncDispose]());

/** Brings up a sandbox on a new runner, the only one with memory. */
async function bringUp(name: string): Promise<{ uid: string; id: string; runner: string }> {
  await sql`update runners set memory_mb = 0`.execute(controlPlane.api.database);
  const runner = await controlPlane.addRunner({ isolation: ['gvisor'] });
  const uid = await controlPlane.sandbox(name);
  const [instance] = await controlPlane.running(uid);
  const id = instance?.id ?? '';
  await controlPlane.report(id, { state: 'ready' });
  await until(async () => (await controlPlane.statusOf(name, 'sandboxes')) === 'DEPLOYED');
  return { uid, id, runner };
}

/** Writes what the api writes when it marks a runner as lost, and when the runner returns. */
async function setRunner(runner: string, status: 'lost' | 'up', uid: string): Promise<void> {
  const seen = status === 'up' ? sql`clock_timestamp()` : sql`last_seen_at`;
  await sql`update runners set status = ${status}, last_seen_at = ${seen} where id = ${runner}`.execute(
    controlPlane.api.database,
  );
  await tell(controlPlane.api, 'reconcile', uid);
}

const newest = async (name: string) => (await controlPlane.api.admin.get(`/sandboxes/${name}`)).body.events.at(-1);

test('away and back: the same instance with the same promise of memory, and people are told both', async () => {
  const { uid, id, runner } = await bringUp('patient');
  // The sandbox does not count as lost during this test, however slow the machine is.
  await sql`update runners set last_seen_at = clock_timestamp() + interval '1 hour' where id = ${runner}`.execute(
    controlPlane.api.database,
  );
  await setRunner(runner, 'lost', uid);
  await until(async () => (await newest('patient')).message.includes('cannot be reached until the machine is back'));
  expect(await controlPlane.statusOf('patient', 'sandboxes')).toBe('DEPLOYED');
  await setRunner(runner, 'up', uid);
  await until(async () => (await newest('patient')).message === 'Its machine is back.');
  expect((await controlPlane.instances(uid)).map((instance) => [instance.id, instance.desired])).toEqual([
    [id, 'running'],
  ]);
  expect(await controlPlane.wrongReservations()).toEqual([]);
});

test('away for longer than lostAfterSeconds: FAILED in plain words by a timer, and never an empty one in its place', async () => {
  const { uid, id, runner } = await bringUp('lost');
  await setRunner(runner, 'lost', uid);
  await until(async () => (await controlPlane.statusOf('lost', 'sandboxes')) === 'FAILED');
  expect(await newest('lost')).toMatchObject({
    type: 'infrastructure',
    message: expect.stringContaining('what was in it is lost. Create it again.'),
  });
  const instances = await controlPlane.instances(uid);
  expect(instances.map((instance) => [instance.id, instance.state, instance.ended_at !== null])).toEqual([
    [id, 'lost', true],
  ]);
  expect(await controlPlane.wrongReservations()).toEqual([]);
  await setRunner(runner, 'up', uid);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await controlPlane.instances(uid)).toHaveLength(1);
});

test('a sandbox that ends while its machine is away is ended at once, and keeps no reservation', async () => {
  const { uid, runner } = await bringUp('ended');
  await setRunner(runner, 'lost', uid);
  await controlPlane.api.admin.delete('/sandboxes/ended');
  await until(async () => (await controlPlane.instances(uid)).every(({ ended_at }) => ended_at !== null));
  expect(await controlPlane.wrongReservations()).toEqual([]);
  expect(await wrongCounters(controlPlane.api)).toEqual([]);
});

test('a sandbox whose machine the operator removes is FAILED with the reason, and is never replaced by an empty one', async () => {
  const { uid, runner } = await bringUp('removed');
  await setRunner(runner, 'lost', uid);
  const config = { postgres: { url: controlPlane.api.databaseUrl } };
  const lines = await runCommand('remove-runner', config, '--name', runner);
  expect(lines[0]).toBe('1 sandboxes that only it held have failed: their owners are told.');
  await until(async () => (await controlPlane.statusOf('removed', 'sandboxes')) === 'FAILED');
  expect((await newest('removed')).message).toContain('no longer belongs to this deployment');
  expect(await controlPlane.instances(uid)).toEqual([]);
});

test('while the machines with gVisor are away a new sandbox waits and says why; it is never put on a shared kernel', async () => {
  await sql`update runners set status = 'lost'`.execute(controlPlane.api.database);
  await controlPlane.addRunner({ isolation: ['runc'] });
  const uid = await controlPlane.sandbox('safe');
  await until(async () => (await newest('safe')).message.includes('that have gVisor are not connected'));
  await sql`update runners set isolation = '{runc}'`.execute(controlPlane.api.database);
  await tell(controlPlane.api, 'reconcile', uid);
  await until(async () => (await newest('safe')).message.includes('which placement.runcFor requires'));
  expect(await controlPlane.instances(uid)).toEqual([]);
  expect(await controlPlane.statusOf('safe', 'sandboxes')).toBe('DEPLOYING');
  const runner = await controlPlane.addRunner({ isolation: ['runc', 'gvisor'] });
  await tell(controlPlane.api, 'reconcile', uid);
  const [instance] = await controlPlane.running(uid);
  expect([instance?.runner_id, instance?.spec.isolation]).toEqual([runner, 'gvisor']);
});
