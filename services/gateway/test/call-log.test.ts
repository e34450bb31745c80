// Calls of workloads in the audit log: one row per key, workload and hour, for any number of requests.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CallLogOptions, createCallLog } from '../src/audit/call-log.ts';
import { insertCalls, updateCalls } from '../src/audit/write-calls.ts';
import { type ApiWithWorkloads, silent, startApiWithWorkloads } from './api-with-workloads.ts';
import { startTestGateway } from './test-gateway.ts';

let workloads: ApiWithWorkloads;
beforeAll(async () => {
  workloads = await startApiWithWorkloads();
});
afterAll(() => workloads[Symbol.asyncDispose]());

/** No instance runs: these tests only check that the call is recorded. */
const nowhere = { connect: () => Promise.reject(new Error('no instance')), close: async () => {} };
const hourMs = 60 * 60 * 1_000;
const rows = (target: string) =>
  workloads.database
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', 'workload.call')
    .where('target', '=', target)
    .orderBy('at')
    .execute();

const uid = '0198c0de-0000-7000-8000-000000000001';
const workspaceId = '0198c0de-0000-7000-8000-000000000002';
const workload = (name: string) => ({ uid, kind: 'agent', name, workspaceId }) as const;
const principal = (keyId: string) =>
  ({ keyId, subject: 'somebody', subjectType: 'user', memberships: [], accounts: [] }) as const;
const from = { address: '192.0.2.1', requestId: 'r' };

function openLog(more: Partial<CallLogOptions> = {}) {
  const clock = { ms: Date.now() };
  const log = createCallLog({
    insert: (entries) => insertCalls(workloads.database, entries),
    update: (entries) => updateCalls(workloads.database, entries),
    logger: silent,
    now: () => clock.ms,
    ...more,
  });
  const call = (keyId: string, name: string, times: number) => {
    for (let count = 0; count < times; count += 1) log.record(principal(keyId), workload(name), from);
  };
  return { log, call, clock };
}

test('a request with a key leaves a row, a request of a stranger to a public agent leaves none', async () => {
  await workloads.deploy('private');
  await workloads.deploy('open', { public: true });
  const gateway = await startTestGateway(workloads, nowhere, {
    patienceMs: 1,
  });
  const ask = (name: string, key?: string) =>
    fetch(
      `${gateway.url}/main/agents/${name}/`,
      key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } },
    );
  for (let count = 0; count < 3; count += 1) await ask('private', workloads.api.adminKey);
  await ask('private', 'bl_no-such-key');
  await ask('open');
  // Stopping the gateway writes the remaining rows.
  await gateway[Symbol.asyncDispose]();
  const [row, ...others] = await rows('agent/private');
  expect(others).toEqual([]);
  expect(row).toMatchObject({
    uses: 3,
    address: '127.0.0.1',
    subject_type: 'user',
    account_id: workloads.api.accountId,
  });
  expect(await rows('agent/open')).toEqual([]);
});

test('a thousand calls are one row for a key and an hour; its count is right when the hour ends', async () => {
  const { log, call, clock } = openLog();
  call('ak_1', 'busy', 1_000);
  call('ak_2', 'busy', 1);
  await log.flush();
  call('ak_1', 'busy', 500);
  await log.flush();
  expect((await rows('agent/busy')).map(({ key_id, uses }) => [key_id, uses]).sort()).toEqual([
    ['ak_1', 1_000],
    ['ak_2', 1],
  ]);
  clock.ms += hourMs;
  call('ak_1', 'busy', 2);
  await log.close();
  expect((await rows('agent/busy')).map(({ key_id, uses }) => [key_id, uses]).sort()).toEqual([
    ['ak_1', 1_500],
    ['ak_1', 2],
    ['ak_2', 1],
  ]);
});

test('calls that could not be written are written later, once', async () => {
  let isAway = true;
  const { log, call } = openLog({
    insert: (entries) => (isAway ? Promise.reject(new Error('away')) : insertCalls(workloads.database, entries)),
  });
  call('ak_1', 'patient', 3);
  await log.flush();
  call('ak_1', 'patient', 1);
  isAway = false;
  await log.flush();
  await log.close();
  expect((await rows('agent/patient')).map(({ uses }) => uses)).toEqual([4]);
});

test('the number of keys and workloads that are remembered is bounded, and a full table makes room', async () => {
  const { log, call } = openLog({ maxEntries: 3 });
  for (const key of ['a', 'b', 'c', 'd']) call(key, 'bounded', 1);
  await log.flush();
  call('d', 'bounded', 1);
  await log.close();
  expect((await rows('agent/bounded')).map(({ key_id }) => key_id).sort()).toEqual(['a', 'b', 'c', 'd']);
});
