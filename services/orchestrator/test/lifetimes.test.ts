// Lifetimes of one to five seconds end exactly once, also when a process is killed meanwhile; they may end late.
// Control-plane sheet 3.5, wire check 14.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { wrongCounters } from '../../../tests/harness/counters.ts';
import { until } from '../../../tests/harness/until.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { OrchestratorProcess } from './orchestrator-process.ts';

interface Ending {
  readonly name: string;
  readonly lateMs: number;
  readonly endings: number;
  readonly message: string;
}

/** For every sandbox that should have ended: its delay, and the number of expiration events. */
async function endings({ api }: ControlPlane): Promise<Ending[]> {
  const { rows } = await sql<Ending>`
    select name, extract(epoch from terminated_at - expires_at)::float8 * 1000 as "lateMs",
      count(event.id)::int as endings, min(event.message) as message
    from resources left join resource_events event on event.resource_uid = uid and event.status = 'TERMINATED'
      and event.type = 'expiration'
    where kind = 'sandbox' and expires_at is not null group by uid, name, terminated_at, expires_at order by name`.execute(
    api.database,
  );
  return rows;
}

const isOver = async ({ api }: ControlPlane): Promise<boolean> => {
  const { rows } = await sql`select 1 from resources where kind = 'sandbox' and terminated_at is null`.execute(
    api.database,
  );
  return rows.length === 0;
};

/**
 * A sandbox may end late, even by a hanging attempt, which is cut off after a minute. On a timeout the error shows
 * Restate's invocations.
 */
async function untilOver(controlPlane: ControlPlane): Promise<void> {
  await until(() => isOver(controlPlane), 100_000).catch(async (error: Error) => {
    const query = 'select target, status, retry_count, last_failure, next_retry_at, modified_at from sys_invocation';
    const response = await fetch(`${controlPlane.restate.adminUrl}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query }),
    });
    throw new Error(`${error.message} Restate holds ${await response.text()}`, { cause: error });
  });
}

/** Every sandbox ended once, and all its counters, labels and reservations were released once. */
async function requireClean(controlPlane: ControlPlane, count: number): Promise<void> {
  const all = await endings(controlPlane);
  expect(all).toHaveLength(count);
  expect(all.filter(({ lateMs, endings }) => lateMs < 0 || endings !== 1)).toEqual([]);
  expect(await wrongCounters(controlPlane.api)).toEqual([]);
  const { rows } = await sql`select 1 from host_labels`.execute(controlPlane.api.database);
  expect(rows).toEqual([]);
  await until(async () => {
    const live = await sql`select 1 from instances where ended_at is null`.execute(controlPlane.api.database);
    return live.rows.length === 0;
  });
  expect(await controlPlane.wrongReservations()).toEqual([]);
}

const seconds = (index: number) => 1 + (index % 5);
const make = async (controlPlane: ControlPlane, count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1)
    await controlPlane.sandbox(`brief-${index}`, { runtime: { ttl: `${seconds(index)}s` } });
};
const latest = async (controlPlane: ControlPlane): Promise<number> =>
  Math.max(...(await endings(controlPlane)).map(({ lateMs }) => lateMs));

test('wire check 14: each ends by its rule within moments, in its words, and the name is free', async () => {
  await using controlPlane = await startControlPlane();
  await controlPlane.addRunner({ memoryMb: 200_000 });
  await controlPlane.startOrchestrator();
  const runners = controlPlane.playRunners();
  await make(controlPlane, 15);
  const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
  await controlPlane.sandbox('dated', { runtime: { expires: soon(2_000) } });
  const rule = (type: string, value: string) => ({ lifecycle: { expirationPolicies: [{ type, value }] } });
  await controlPlane.sandbox('aged', rule('ttl-max-age', '2s'));
  await controlPlane.sandbox('until', rule('date', soon(2_000)));
  await until(() => isOver(controlPlane));
  const messages = Object.fromEntries((await endings(controlPlane)).map(({ name, message }) => [name, message]));
  expect(messages).toMatchObject({
    'brief-0': 'It was to live for 1s (ttl).',
    aged: 'It was to live for 2s (ttl-max-age).',
    dated: expect.stringMatching(/^It was to live until .* \(expires\)\.$/),
    until: expect.stringMatching(/^It was to live until .* \(date\)\.$/),
  });
  console.log(`latest of 18 lifetimes: ${Math.round(await latest(controlPlane))} ms late`);
  await requireClean(controlPlane, 18);
  expect(await controlPlane.statusOf('brief-0', 'sandboxes')).toBe('TERMINATED');
  await controlPlane.sandbox('brief-0');
  await until(async () => (await controlPlane.statusOf('brief-0', 'sandboxes')) === 'DEPLOYED');
  await runners.stop();
}, 60_000);

test('ttl-idle: a sandbox ends when its runner reports it unused, with the rule as its reason', async () => {
  await using controlPlane = await startControlPlane();
  await controlPlane.addRunner();
  await controlPlane.startOrchestrator();
  const spec = { lifecycle: { expirationPolicies: [{ type: 'ttl-idle', value: '30m' }] } };
  const uid = await controlPlane.sandbox('unused', spec);
  const [instance] = await controlPlane.running(uid);
  expect(instance?.spec).toMatchObject({ sandbox: { expiresIdleSeconds: 1_800 } });
  await controlPlane.report(instance?.id ?? '', { state: 'ready' });
  await until(async () => (await controlPlane.statusOf('unused', 'sandboxes')) === 'DEPLOYED');
  await controlPlane.report(instance?.id ?? '', { state: 'ready', isExpired: true });
  await until(async () => (await controlPlane.statusOf('unused', 'sandboxes')) === 'TERMINATED');
  const { body } = await controlPlane.api.admin.get('/sandboxes/unused');
  expect(body.events.at(-1)).toMatchObject({ type: 'expiration', message: 'Nobody has used it for 30m (ttl-idle).' });
  await controlPlane.running(uid, 0);
  expect(await wrongCounters(controlPlane.api)).toEqual([]);
});

test('a sandbox releases its volume when it expires, and the next sandbox can attach it', async () => {
  await using controlPlane = await startControlPlane();
  await controlPlane.addRunner();
  await controlPlane.startOrchestrator();
  const { admin } = controlPlane.api;
  const made = await admin.post('/volumes', { metadata: { name: 'data' }, spec: { region: 'local', size: 1024 } });
  expect([made.status, made.text]).toEqual([200, made.text]);
  const volumes = [{ name: 'data', mountPath: '/data' }];
  await controlPlane.sandbox('holder', { region: 'local', runtime: { ttl: '6s' }, volumes });
  expect((await admin.delete('/volumes/data')).status).toBe(409);
  await until(() => isOver(controlPlane));
  const { body } = await admin.get('/volumes/data');
  expect(body.events.at(-1)).toMatchObject({ type: 'detach', message: 'No longer reserved for sandbox:holder.' });
  await controlPlane.sandbox('next', { region: 'local', volumes });
});

test('a lifetime that is changed or taken away counts as it stands, not as it was armed', async () => {
  await using controlPlane = await startControlPlane();
  await controlPlane.addRunner();
  await controlPlane.startOrchestrator();
  const runners = controlPlane.playRunners();
  for (const name of ['extended', 'freed']) await controlPlane.sandbox(name, { runtime: { ttl: '6s' } });
  await controlPlane.sandbox('cut', { runtime: { ttl: '1h' } });
  const change = (name: string, ttl: string) =>
    controlPlane.api.admin.put(`/sandboxes/${name}`, { metadata: { name }, spec: { runtime: { ttl } } });
  await change('extended', '1h');
  await change('freed', '');
  // Armed after the others with the same ttl: when it has ended, their first timers have fired.
  await controlPlane.sandbox('witness', { runtime: { ttl: '6s' } });
  await change('cut', '3s');
  for (const name of ['cut', 'witness'])
    await until(async () => (await controlPlane.statusOf(name, 'sandboxes')) === 'TERMINATED');
  for (const name of ['extended', 'freed']) expect(await controlPlane.statusOf(name, 'sandboxes')).toBe('DEPLOYED');
  await until(async () => (await endings(controlPlane)).filter((ending) => ending.endings === 1).length === 2);
  expect(
    (await endings(controlPlane)).filter(({ endings }) => endings > 0).map(({ name, lateMs }) => [name, lateMs >= 0]),
  ).toEqual([
    ['cut', true],
    ['witness', true],
  ]);
  await runners.stop();
});

test('the orchestrator is killed again and again: late at worst, and once', async () => {
  await using controlPlane = await startControlPlane();
  await controlPlane.addRunner({ memoryMb: 200_000 });
  using orchestrator = await OrchestratorProcess.start(controlPlane);
  const runners = controlPlane.playRunners();
  await make(controlPlane, 20);
  for (let round = 0; round < 3; round += 1) {
    await sleep(400 + 300 * round);
    await orchestrator.kill();
    await sleep(300);
    await orchestrator.start();
  }
  await untilOver(controlPlane);
  console.log(`latest of 20 lifetimes with a killed orchestrator: ${Math.round(await latest(controlPlane))} ms late`);
  await requireClean(controlPlane, 20);
  await runners.stop();
}, 150_000);

test('Restate is killed in between: late at worst, and once', async () => {
  await using controlPlane = await startControlPlane();
  await controlPlane.addRunner({ memoryMb: 200_000 });
  await controlPlane.startOrchestrator();
  const runners = controlPlane.playRunners();
  await make(controlPlane, 20);
  for (let round = 0; round < 2; round += 1) {
    await sleep(700);
    await controlPlane.restate.kill();
    await sleep(800);
    await controlPlane.restate.start();
  }
  await untilOver(controlPlane);
  console.log(`latest of 20 lifetimes with a killed Restate: ${Math.round(await latest(controlPlane))} ms late`);
  await requireClean(controlPlane, 20);
  await runners.stop();
}, 150_000);

test('Restate is wiped with every timer in it: they are armed again, and each ends once', async () => {
  await using controlPlane = await startControlPlane();
  await controlPlane.addRunner({ memoryMb: 200_000 });
  await controlPlane.startOrchestrator();
  const runners = controlPlane.playRunners();
  await make(controlPlane, 20);
  await sleep(500);
  await controlPlane.restate.kill();
  await controlPlane.restate.wipe();
  await controlPlane.restate.start();
  await untilOver(controlPlane);
  console.log(`latest of 20 lifetimes with a wiped Restate: ${Math.round(await latest(controlPlane))} ms late`);
  await requireClean(controlPlane, 20);
  await runners.stop();
}, 150_000);

test('both are away while everything expires: reads say so at once, and the rest follows when they are back', async () => {
  await using controlPlane = await startControlPlane();
  await controlPlane.addRunner();
  using orchestrator = await OrchestratorProcess.start(controlPlane);
  const runners = controlPlane.playRunners();
  await controlPlane.sandbox('alone', { runtime: { ttl: '6s' } });
  await until(async () => (await controlPlane.statusOf('alone', 'sandboxes')) === 'DEPLOYED');
  await orchestrator.kill();
  await controlPlane.restate.kill();
  await until(async () => (await controlPlane.statusOf('alone', 'sandboxes')) === 'TERMINATED');
  await controlPlane.restate.start();
  await orchestrator.start();
  await untilOver(controlPlane);
  await requireClean(controlPlane, 1);
  await runners.stop();
}, 150_000);
