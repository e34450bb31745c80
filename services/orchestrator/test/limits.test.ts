// An account cannot take all machines: its limits are counted where instances are placed.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addAccount } from '../../../tests/harness/tenant.ts';
import { until } from '../../../tests/harness/until.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane({ config: { tiers: { tier_9: { instances: 70, memory_mb: 200_000 } } } });
  await controlPlane.addRunner({ memoryMb: 500_000 });
  await controlPlane.startOrchestrator();
  controlPlane.playRunners();
});
afterAll(() => controlPlane?.[Symbol.asyncDispose]());

const live = async (uid: string): Promise<number> =>
  (await controlPlane.instances(uid)).filter(({ ended_at }) => ended_at === null).length;
const newestMessage = async (uid: string): Promise<string> => {
  const { rows } = await sql<{ message: string }>`
    select message from resource_events where resource_uid = ${uid} order by time desc, id desc limit 1`.execute(
    controlPlane.api.database,
  );
  return rows[0]?.message ?? '';
};

test('an agent that asks for 10 000 instances gets what its account may hold; its events name the limit, and others place as before', async () => {
  const uid = await controlPlane.deploy('greedy', { minScale: 10_000, memory: 1_024 });
  await until(async () => (await newestMessage(uid)).includes('account limit of 70 for instances'));
  expect(await live(uid)).toBe(70);
  expect(await newestMessage(uid)).toMatch(/ask the operator to raise it/);

  const other = await addAccount(controlPlane.api, 'other');
  const answer = await other.client.post('/agents', {
    metadata: { name: 'modest' },
    spec: { runtime: { image: 'example/agent:1', minScale: 2 } },
  });
  expect(answer.status).toBe(200);
  await controlPlane.running(await controlPlane.uidOf('modest'), 2);

  // A sandbox of the account at its limit is refused at once, with the name of the limit.
  const refused = await controlPlane.api.admin.post('/sandboxes', { metadata: { name: 'none-left' }, spec: {} });
  expect([refused.status, refused.body.code]).toEqual([403, 'QUOTA_EXCEEDED']);
  expect(refused.body.message).toContain('limit of 70 for instances');

  // The share of ended instances is free again for the account.
  await controlPlane.api.admin.delete('/agents/greedy');
  await until(async () => (await controlPlane.statusOf('greedy')) === undefined);
  const sandbox = await controlPlane.sandbox('room-again');
  await controlPlane.running(sandbox);
  expect(await controlPlane.wrongReservations()).toEqual([]);
  await controlPlane.api.admin.delete('/sandboxes/room-again');
});

test('two agents that grow at the same moment share the memory of their account and never exceed it', async () => {
  const before = await sql<{ mb: number }>`select coalesce(sum(reserved_mb), 0)::int as mb from instances
    where account_id = ${controlPlane.api.accountId} and ended_at is null`.execute(controlPlane.api.database);
  const uids = await Promise.all(
    ['left', 'right'].map((name) => controlPlane.deploy(name, { minScale: 10_000, memory: 30_000 })),
  );
  await until(async () =>
    (await Promise.all(uids.map(newestMessage))).every((message) => message.includes('200000 for memory_mb')),
  );
  const counts = await Promise.all(uids.map(live));
  const room = Math.floor((200_000 - (before.rows[0]?.mb ?? 0)) / 30_000);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(room);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(6);
});
