// A model of one execution for property tests: tasks, attempts and counters as the database has them, and everything
// that happens to them. What `settle` decides is written like `apply` writes it.
import { nextStatus } from '@berth/jobs';
import { expect } from 'vitest';
import { type AttemptResult, maxLosses } from '../../src/executions/judge-attempt.ts';
import { type ExecutionCounters, type ObservedAttempt, settle } from '../../src/executions/settle.ts';
import { isDone, pendingTasks, statusSteps } from '../../src/executions/status-steps.ts';

interface Task {
  status: string;
  attempt: number;
  failures: number;
  losses: number;
  notBefore: number;
  reason?: string | undefined;
  /** Times that it entered a final state. */
  ends: number;
}

interface Attempt {
  readonly id: string;
  readonly taskIndex: number;
  readonly attempt: number;
  isOver: boolean;
  isSettled: boolean;
  result?: AttemptResult | undefined;
  startedAt?: number | undefined;
}

interface Rules {
  readonly taskCount: number;
  readonly maxRetries: number;
  readonly parallelism: number;
}

const final = ['succeeded', 'failed', 'cancelled'];
const finalStatuses = [...final, 'timeout'];

export class World {
  readonly #rules: Rules;
  readonly #tasks: Task[];
  readonly #attempts: Attempt[] = [];
  #status = 'queued';
  #counters: ExecutionCounters = { active: 0, succeeded: 0, failed: 0, cancelled: 0, retried: 0 };
  #now = 0;

  constructor(rules: Rules) {
    this.#rules = rules;
    this.#tasks = Array.from({ length: rules.taskCount }, () => ({
      status: 'pending',
      attempt: 0,
      failures: 0,
      losses: 0,
      notBefore: 0,
      ends: 0,
    }));
  }

  get #isOpen(): boolean {
    return ['queued', 'pending', 'running'].includes(this.#status);
  }

  wait(ms: number): void {
    this.#now += ms;
  }

  place(which: number): void {
    const due = this.#tasks.filter(({ status, notBefore }) => status === 'pending' && notBefore <= this.#now);
    const task = due[which % Math.max(1, due.length)];
    if (task === undefined || !this.#isOpen || this.#counters.active >= this.#rules.parallelism) return;
    task.status = 'reconciling';
    task.attempt += 1;
    const taskIndex = this.#tasks.indexOf(task);
    const id = `${taskIndex}-${task.attempt}`;
    this.#attempts.push({ id, taskIndex, attempt: task.attempt, isOver: false, isSettled: false });
    this.#counters = { ...this.#counters, active: this.#counters.active + 1 };
    this.#status = nextStatus(this.#status, 'admitted') ?? this.#status;
  }

  start(which: number): void {
    const attempt = this.#one(which, ({ isOver, startedAt }) => !isOver && startedAt === undefined);
    if (attempt !== undefined) attempt.startedAt = this.#now;
  }

  /** Without a result the runner is lost, or has removed the attempt. */
  end(which: number, result: AttemptResult | undefined): void {
    const attempt = this.#one(which, ({ isOver }) => !isOver);
    if (attempt === undefined) return;
    attempt.isOver = true;
    attempt.result = result;
  }

  /** Like the api does it: waiting tasks are cancelled with the request. */
  askCancel(): void {
    const cancelling = nextStatus(this.#status, 'cancelAsked');
    if (cancelling === undefined) return;
    this.#status = cancelling;
    this.#cancelWaiting();
    if (this.#counters.active === 0) this.#status = nextStatus(cancelling, 'drained') ?? this.#status;
  }

  /** One run of the handler, for at most `limit` attempts. */
  settle(limit: number): void {
    const isSeen = ({ isSettled, isOver, startedAt, taskIndex, attempt }: Attempt): boolean =>
      !isSettled && (isOver || (startedAt !== undefined && this.#isStarting(taskIndex, attempt)));
    this.#apply(this.#attempts.filter(isSeen).slice(0, limit));
  }

  /** A second delivery of an attempt that is settled, which the database prevents and the rules have to survive. */
  settleAgain(which: number): void {
    const attempt = this.#one(which, ({ isSettled }) => isSettled);
    if (attempt !== undefined) this.#apply([attempt]);
  }

  /** Everything continues until the execution has ended. */
  finish(nextResult: () => AttemptResult | undefined): void {
    for (let round = 0; !finalStatuses.includes(this.#status); round += 1) {
      expect(round, 'rounds').toBeLessThan(1_000);
      this.wait(60_000);
      for (let count = 0; count < this.#rules.parallelism; count += 1) this.place(0);
      for (const _ of this.#attempts) this.start(0);
      for (const _ of this.#attempts) this.end(0, nextResult());
      this.settle(this.#attempts.length);
    }
  }

  check(): void {
    const { active, succeeded, failed, cancelled, retried } = this.#counters;
    const count = (...statuses: string[]): number =>
      this.#tasks.filter(({ status }) => statuses.includes(status)).length;
    expect({ active, succeeded, failed, cancelled }).toEqual({
      active: count('reconciling', 'running'),
      succeeded: count('succeeded'),
      failed: count('failed'),
      cancelled: count('cancelled'),
    });
    expect(active).toBeLessThanOrEqual(this.#rules.parallelism);
    expect(pendingTasks({ taskCount: this.#rules.taskCount, counters: this.#counters })).toBe(count('pending'));
    for (const { attempt, failures, losses, ends } of this.#tasks) {
      expect(ends).toBeLessThanOrEqual(1);
      expect(failures).toBeLessThanOrEqual(this.#rules.maxRetries + 1);
      expect(losses).toBeLessThanOrEqual(maxLosses + 1);
      expect(attempt).toBeLessThanOrEqual(failures + losses + 1);
    }
    const failures = this.#tasks.reduce((sum, task) => sum + task.failures, 0);
    expect(retried).toBeLessThanOrEqual(failures);
    if (!finalStatuses.includes(this.#status)) return;
    expect(this.#tasks.filter(({ status }) => !final.includes(status))).toEqual([]);
  }

  checkEnd(): void {
    for (const { ends } of this.#tasks) expect(ends).toBe(1);
    expect(this.#attempts.filter(({ isSettled }) => !isSettled)).toEqual([]);
    const failed = this.#tasks.filter(({ status }) => status === 'failed');
    if (this.#status === 'cancelled') return;
    expect(this.#tasks.filter(({ status }) => status === 'cancelled')).toEqual([]);
    const isTimeout = failed.every(({ reason }) => reason === 'timeout');
    const ofFailed = isTimeout ? 'timeout' : 'failed';
    expect(this.#status).toBe(failed.length === 0 ? 'succeeded' : ofFailed);
  }

  #one(which: number, isWanted: (attempt: Attempt) => boolean): Attempt | undefined {
    const wanted = this.#attempts.filter(isWanted);
    return wanted[which % Math.max(1, wanted.length)];
  }

  #isStarting(taskIndex: number, attempt: number): boolean {
    const task = this.#tasks[taskIndex];
    return task?.status === 'reconciling' && task.attempt === attempt;
  }

  #cancelWaiting(): void {
    for (const task of this.#tasks.filter(({ status }) => status === 'pending')) {
      this.#end(task, 'cancelled');
      this.#counters = { ...this.#counters, cancelled: this.#counters.cancelled + 1 };
    }
  }

  #end(task: Task, status: string): void {
    task.status = status;
    task.ends += 1;
  }

  #apply(seen: readonly Attempt[]): void {
    if (finalStatuses.includes(this.#status)) return;
    const { taskCount, maxRetries } = this.#rules;
    const observed = seen.flatMap((attempt): ObservedAttempt[] => {
      const task = this.#tasks[attempt.taskIndex];
      return task === undefined ? [] : [{ ...attempt, task }];
    });
    const execution = { status: this.#status, maxRetries, taskCount, counters: this.#counters };
    const { tasks, settled, counters } = settle(execution, observed, this.#now);
    this.#counters = counters;
    for (const change of tasks) {
      const task = this.#tasks[change.index];
      if (task === undefined) throw new Error(`no task ${change.index}`);
      const { failures, losses, reason, notBefore = 0 } = change;
      Object.assign(task, { failures, losses, reason, notBefore });
      if (final.includes(change.status)) this.#end(task, change.status);
      else task.status = change.status;
    }
    for (const attempt of this.#attempts) if (settled.includes(attempt.id)) attempt.isSettled = true;
    if (this.#status === 'cancelling') this.#cancelWaiting();
    const failed = this.#tasks.filter(({ status }) => status === 'failed');
    const steps = statusSteps({
      status: this.#status,
      taskCount,
      counters: this.#counters,
      hasStarted: seen.length > 0,
      hasOnlyTimeouts: failed.every(({ reason }) => reason === 'timeout'),
    });
    this.#status = steps.at(-1)?.status ?? this.#status;
    expect(isDone({ taskCount, counters: this.#counters })).toBe(finalStatuses.includes(this.#status));
  }
}
