// Single histories, checked step by step.
import { expect, test } from 'vitest';
import { maxInstances, scaling, World } from '../../test/deployments/world-fixture.ts';

test('a dead instance is replaced at once, then after 5 and 10 seconds; after three in a row that were never ready the revision fails', () => {
  const world = new World(1);
  world.runUntilStable();
  const fail = (): void => {
    world.report(
      world.live.findIndex(({ desired }) => desired === 'running'),
      'failed',
      'Exit code 1.',
    );
    world.reconcile();
    world.report(
      world.live.findIndex(({ desired }) => desired === 'gone'),
      'gone',
    );
    world.reconcile();
  };
  const nextAt = (): number[] => world.reconcile().flatMap((action) => (action.do === 'set-timer' ? [action.at] : []));
  fail();
  expect(world.running).toHaveLength(1);
  expect(world.events.at(-1)).toMatchObject({ type: 'infrastructure', status: 'DEPLOYED' });
  for (const pauseMs of [5_000, 10_000]) {
    const failedAt = world.now;
    fail();
    expect(world.running).toHaveLength(0);
    expect(nextAt()).toEqual([failedAt + pauseMs]);
    world.now = failedAt + pauseMs;
    world.reconcile();
    expect(world.running).toHaveLength(1);
  }
  fail();
  expect(world.status).toBe('FAILED');
  expect(world.events.at(-1)?.message).toContain('Exit code 1.');
  world.now += 3_600_000;
  world.runUntilStable();
  expect(world.running).toHaveLength(0);
  world.deploy(1);
  world.runUntilStable();
  expect(world.status).toBe('DEPLOYED');
});

test('a lost runner does not fail a deployment that is under way', () => {
  const world = new World(1);
  world.reconcile();
  world.report(0, 'lost', 'Its machine has not been heard from.');
  world.reconcile();
  expect(world.status).toBe('DEPLOYING');
  world.runUntilStable();
  expect(world.status).toBe('DEPLOYED');
});

const failNext = (world: World, message: string): void => {
  world.reconcile();
  world.report(world.live.length - 1, 'failed', message);
  world.reconcile();
};

test('a newer revision that fails beside the chosen one leaves the workload FAILED until the spec changes', () => {
  const world = new World(1);
  world.runUntilStable();
  world.deploy(1);
  world.runUntilStable();
  world.choose('chosen', 1);
  world.runUntilStable();
  expect([world.status, world.record.activeRevision]).toEqual(['DEPLOYED', world.chosen]);
  expect(world.revisions[0]?.status).toBe('DEACTIVATED');
  world.deploy(1);
  failNext(world, 'No such image.');
  world.runUntilStable();
  expect([world.status, world.record.activeRevision]).toEqual(['FAILED', world.chosen]);
  world.choose('canary', undefined);
  world.choose('canary', 1);
  world.runUntilStable();
  expect(world.status).toBe('DEPLOYED');
});

test('a newer revision that is not chosen starts once to prove itself, and is then retired', () => {
  const world = new World(2);
  world.runUntilStable();
  world.choose('chosen', 0);
  world.deploy(1);
  world.choose('chosen', 1);
  const [newest, chosen] = world.revisions;
  world.runUntilStable();
  expect([newest?.status, chosen?.status, world.status]).toEqual(['DEPLOYED', 'DEPLOYED', 'DEPLOYED']);
  expect(world.running.map(({ revision }) => revision)).toEqual([chosen?.id, chosen?.id]);
  expect(world.instances.some(({ revision }) => revision === newest?.id)).toBe(true);
});

test('a failed target is not started again while another revision deploys', () => {
  const world = new World(1);
  world.deploy(1);
  world.choose('chosen', 1);
  world.reconcile();
  const target = world.chosen;
  world.report(
    world.live.findIndex(({ revision }) => revision === target),
    'failed',
    'Exit code 1.',
  );
  for (let round = 0; round < 5; round += 1) world.reconcile();
  expect(world.running.filter(({ revision }) => revision === target)).toEqual([]);
  expect(world.revisions.find(({ id }) => id === target)?.status).toBe('FAILED');
  expect(world.status).toBe('DEPLOYING');
});

test('lost runners never make a workload FAILED, however many there are', () => {
  const world = new World(1);
  for (let losses = 0; losses < 5; losses += 1) {
    world.pass(600_000);
    world.reconcile();
    world.report(0, 'lost', 'Its machine has not been heard from.');
  }
  world.reconcile();
  expect(world.status).toBe('DEPLOYING');
  world.runUntilStable();
  expect(world.status).toBe('DEPLOYED');
});

test('disabling and enabling a failed workload starts it again, and earlier failures no longer count', () => {
  const world = new World(1);
  world.reconcile();
  world.report(0, 'failed', 'Exit code 1.');
  world.reconcile();
  expect(world.status).toBe('FAILED');
  world.switchOn(false);
  world.runUntilStable();
  world.switchOn(true);
  world.reconcile();
  expect([world.status, world.running.length]).toEqual(['DEPLOYING', 1]);
  world.runUntilStable();
  expect(world.status).toBe('DEPLOYED');
});

test('a canary runs beside the target, and takes over without a gap when it is chosen', () => {
  const world = new World(2);
  world.runUntilStable();
  const [first] = world.revisions;
  world.choose('chosen', 0);
  world.deploy(1);
  world.choose('chosen', 1);
  world.choose('canary', 0);
  world.runUntilStable();
  const [canary] = world.revisions;
  const countOf = (id: string | undefined) => world.running.filter(({ revision }) => revision === id).length;
  expect([countOf(first?.id), countOf(canary?.id), world.record.activeRevision]).toEqual([2, 1, first?.id]);
  world.choose('chosen', 0);
  world.choose('canary', undefined);
  world.reconcile();
  expect([countOf(first?.id), countOf(canary?.id), world.record.activeRevision]).toEqual([0, 1, canary?.id]);
  expect(world.record.previousActiveRevision).toBe(first?.id);
});

test('a workload without requests has no instance after the idle timeout', () => {
  const world = new World(0);
  world.reconcile();
  world.report(0, 'ready');
  world.reconcile();
  expect([world.status, world.running.length]).toEqual(['DEPLOYED', 1]);
  const readyAt = world.running[0]?.readyAt ?? 0;
  expect(world.reconcile()).toEqual([{ do: 'set-timer', at: readyAt + scaling.idleMs }]);
  world.now = readyAt + scaling.idleMs;
  world.reconcile();
  expect([world.status, world.running.length, world.live[0]?.desired]).toEqual(['DEPLOYED', 0, 'leaving']);
  world.runUntilStable();
  expect([world.status, world.live.length]).toEqual(['DEPLOYED', 0]);
});

test('the number of instances follows the requests under way, up to the maximum', () => {
  const world = new World(0);
  world.runUntilStable();
  for (const [requests, count] of [
    [1, 1],
    [10, 1],
    [11, 2],
    [35, 4],
    [500, maxInstances],
  ] as const) {
    world.ask(requests, 1_000_000);
    world.reconcile();
    world.reconcile();
    expect([requests, world.running.length]).toEqual([requests, count]);
  }
  expect(world.events.filter(({ status }) => status !== 'DEPLOYING').length).toBe(1);
});

test('when demand falls, instances are retired down to the needed number, and to the minimum without demand', () => {
  const world = new World(1);
  world.ask(45, 1_000_000);
  world.runUntilStable();
  expect(world.running).toHaveLength(1);
  world.ask(45, 1_000_000);
  world.reconcile();
  while (world.running.some(({ state }) => state !== 'ready'))
    world.report(
      world.live.findIndex(({ state }) => state !== 'ready'),
      'ready',
    );
  world.pass(scaling.idleMs);
  world.reconcile();
  expect(world.running).toHaveLength(5);
  world.ask(12, 1_000_000);
  world.reconcile();
  expect(world.running).toHaveLength(2);
  world.ask(0, 0);
  world.reconcile();
  expect(world.running).toHaveLength(1);
});

test('a request for a proven revision starts it again without an event', () => {
  const world = new World(0);
  world.runUntilStable();
  const events = world.events.length;
  world.ask(1, 1_000_000);
  world.reconcile();
  expect(world.running).toHaveLength(1);
  world.report(0, 'ready');
  world.reconcile();
  expect([world.status, world.events.length]).toEqual(['DEPLOYED', events]);
});

test('a newer revision beside a chosen one without instances is DEPLOYED once it was ready', () => {
  const world = new World(0);
  world.runUntilStable();
  world.choose('chosen', 0);
  world.deploy(0);
  world.choose('chosen', 1);
  world.runUntilStable();
  expect([world.status, world.live.length]).toEqual(['DEPLOYED', 0]);
});

test('active and canary revision each have an instance while there is demand, and share the demand', () => {
  const world = new World(0);
  world.runUntilStable();
  world.choose('chosen', 0);
  world.deploy(0);
  world.choose('chosen', 1);
  world.choose('canary', 0);
  world.canaryPercent = 50;
  world.runUntilStable();
  world.pass(scaling.idleMs);
  const [canary, active] = world.revisions;
  const countOf = (id: string | undefined) => world.running.filter(({ revision }) => revision === id).length;
  world.ask(1, 1_000_000);
  world.reconcile();
  expect([countOf(active?.id), countOf(canary?.id)]).toEqual([1, 1]);
  world.ask(60, 1_000_000);
  world.reconcile();
  expect([countOf(active?.id), countOf(canary?.id)]).toEqual([3, 3]);
});
