import fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterPlacing, share } from './share.ts';
import type { AccountUse, ShareInput, WaitingExecution } from './tally.ts';

const small = fc.integer({ min: 0, max: 12 });
/** Workspace `w3` belongs to account `a1`: each account has three workspaces. */
const accountOf = (workspace: number): string => `a${Math.floor(workspace / 3)}`;

const inputs: fc.Arbitrary<ShareInput> = fc
  .record({
    executions: fc.array(
      fc.record({
        workspace: fc.integer({ min: 0, max: 5 }),
        createdAt: fc.integer({ min: 0, max: 20 }),
        status: fc.constantFrom('queued', 'pending', 'running'),
        memoryMb: fc.constantFrom(128, 256, 1_024, 3_000),
        waiting: small,
        active: small,
        parallelism: fc.integer({ min: 1, max: 12 }),
      }),
      { maxLength: 12 },
    ),
    accounts: fc.array(
      fc.record({ maxTasks: fc.integer({ min: 0, max: 40 }), tasks: small, maxExecutions: small, executions: small }),
      { minLength: 2, maxLength: 2 },
    ),
    workspaceMb: fc.array(fc.integer({ min: 0, max: 8_000 }), { minLength: 6, maxLength: 6 }),
    free: fc.record({ mb: fc.integer({ min: -500, max: 40_000 }), tasks: fc.integer({ min: 0, max: 60 }) }),
    maxTasks: fc.integer({ min: 0, max: 50 }),
  })
  .map(({ executions, accounts, workspaceMb, ...rest }) => ({
    ...rest,
    executions: executions.map(({ workspace, ...each }, index) => ({
      ...each,
      executionId: `e${index}`,
      workspaceId: `w${workspace}`,
      accountId: accountOf(workspace),
    })),
    accounts: new Map(accounts.map((account, index) => [`a${index}`, account])),
    workspaceMb: new Map(workspaceMb.map((mb, index) => [`w${index}`, mb])),
  }));

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

test('no cap is passed: waiting tasks, parallelism, the limits of the account, free memory, free tasks, the run’s maximum', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const { counts } = share(input);
      const countOf = ({ executionId }: WaitingExecution): number => counts.get(executionId) ?? 0;
      for (const execution of input.executions) {
        const { waiting, parallelism, active } = execution;
        expect(countOf(execution)).toBeLessThanOrEqual(Math.max(0, Math.min(waiting, parallelism - active)));
      }
      for (const [accountId, { tasks, maxTasks, executions, maxExecutions }] of input.accounts) {
        const own = input.executions.filter((execution) => execution.accountId === accountId && countOf(execution) > 0);
        const admitted = own.filter(({ status }) => status === 'queued').length;
        if (own.length > 0) expect(tasks + sum(own.map(countOf))).toBeLessThanOrEqual(maxTasks);
        if (admitted > 0) expect(executions + admitted).toBeLessThanOrEqual(maxExecutions);
      }
      const total = sum(counts.values());
      expect(total).toBeLessThanOrEqual(Math.min(input.maxTasks, input.free.tasks));
      const mb = sum(input.executions.map((execution) => countOf(execution) * execution.memoryMb));
      expect(mb).toBeLessThanOrEqual(Math.max(0, input.free.mb));
    }),
    { numRuns: 500 },
  );
});

test('max-min: a workspace that could have more has no less memory than any other had before its last task', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const { counts } = share(input);
      const given = input.executions.filter(({ executionId }) => counts.has(executionId));
      const rest = afterPlacing(input, counts, new Set());
      const mbOf = (workspaceId: string): number => rest.workspaceMb.get(workspaceId) ?? 0;
      for (const poor of rest.executions) {
        for (const rich of new Set(given.map(({ workspaceId }) => workspaceId))) {
          const sizes = given.filter(({ workspaceId }) => workspaceId === rich).map(({ memoryMb }) => memoryMb);
          // What the rich workspace got last would have been enough for a task of the poor one.
          const freeMb = rest.free.mb + Math.min(...sizes);
          if (!mayHaveMore(poor, rest, freeMb)) continue;
          expect(mbOf(poor.workspaceId)).toBeGreaterThanOrEqual(mbOf(rich) - Math.max(...sizes));
        }
      }
    }),
    { numRuns: 500 },
  );
});

function mayHaveMore(
  { accountId, status, waiting, active, parallelism, memoryMb }: WaitingExecution,
  { accounts }: ShareInput,
  freeMb: number,
): boolean {
  const account = accounts.get(accountId);
  return (
    account !== undefined &&
    waiting > 0 &&
    active < parallelism &&
    account.tasks < account.maxTasks &&
    (status !== 'queued' || account.executions < account.maxExecutions) &&
    memoryMb <= freeMb
  );
}

test('nothing is held back: every execution that gets no more is blocked, or the run has reached its maximum', () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const { counts, blocks } = share(input);
      const isOver = sum(counts.values()) >= input.maxTasks;
      for (const { executionId } of input.executions) expect(isOver || blocks.has(executionId)).toBe(true);
      // A second decision on the rest gives nothing.
      if (!isOver) expect([...share(afterPlacing(input, counts, new Set())).counts]).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

const execution = (executionId: string, changes: Partial<WaitingExecution> = {}): WaitingExecution => ({
  executionId,
  workspaceId: 'w0',
  accountId: 'a0',
  createdAt: 0,
  status: 'running',
  memoryMb: 1_000,
  waiting: 100,
  active: 0,
  parallelism: 100,
  ...changes,
});
const account: AccountUse = { maxTasks: 1_000, tasks: 0, maxExecutions: 100, executions: 0 };
const inputOf = (executions: readonly WaitingExecution[], changes: Partial<ShareInput> = {}): ShareInput => ({
  executions,
  accounts: new Map([['a0', account]]),
  workspaceMb: new Map(),
  free: { mb: 12_000, tasks: 100 },
  maxTasks: 200,
  ...changes,
});
const countsOf = (input: ShareInput) => Object.fromEntries(share(input).counts);

test('a workspace with many executions gets no more memory than a workspace with one', () => {
  const many = Array.from({ length: 5 }, (_, index) => execution(`many-${index}`, { createdAt: index }));
  const one = execution('one', { workspaceId: 'w1', createdAt: 9 });
  expect(countsOf(inputOf([...many, one]))).toEqual({ 'many-0': 6, one: 6 });
});

test('memory is shared, not the number of tasks, and what a workspace already holds counts', () => {
  const wide = execution('wide', { memoryMb: 3_000 });
  const narrow = execution('narrow', { workspaceId: 'w1' });
  expect(countsOf(inputOf([wide, narrow]))).toEqual({ wide: 2, narrow: 6 });
  const held = new Map([['w0', 6_000]]);
  expect(countsOf(inputOf([wide, narrow], { workspaceMb: held }))).toEqual({ wide: 1, narrow: 9 });
});

test('in a workspace the oldest execution comes first; what it cannot use goes to the next', () => {
  const old = execution('old', { createdAt: 1, parallelism: 4 });
  expect(countsOf(inputOf([execution('new', { createdAt: 2 }), old]))).toEqual({ old: 4, new: 8 });
});

test('a queued execution waits for the account’s limit on executions, and the running ones of the account continue', () => {
  const accounts = new Map([['a0', { ...account, maxExecutions: 2, executions: 1 }]]);
  const queued = [1, 2].map((createdAt) => execution(`q${createdAt}`, { status: 'queued', createdAt, parallelism: 2 }));
  const { counts, blocks } = share(
    inputOf([...queued, execution('running', { createdAt: 3, parallelism: 3 })], { accounts }),
  );
  expect(Object.fromEntries(counts)).toEqual({ q1: 2, running: 3 });
  expect(blocks.get('q2')).toBe('job_parallel_executions');
});

test('an execution whose tasks found no runner leaves its share to the others', () => {
  const input = inputOf([execution('stuck'), execution('other', { workspaceId: 'w1' })]);
  const rest = afterPlacing(input, new Map([['other', 6]]), new Set(['stuck']));
  expect(countsOf(rest)).toEqual({ other: 6 });
});
