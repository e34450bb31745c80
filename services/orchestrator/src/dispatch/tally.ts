// Counts what waiting executions, their accounts, their workspaces and the runners have, while tasks are given out.
// Changed in place: a run gives out hundreds of tasks among a thousand executions.

export interface WaitingExecution {
  readonly executionId: string;
  readonly workspaceId: string;
  readonly accountId: string;
  readonly createdAt: number;
  readonly status: string;
  /** Memory that each of its tasks reserves. */
  readonly memoryMb: number;
  /** Tasks that may start now. */
  readonly waiting: number;
  readonly active: number;
  readonly parallelism: number;
}

/** What an account may have and has at once. */
export interface AccountUse {
  readonly maxTasks: number;
  readonly tasks: number;
  readonly maxExecutions: number;
  /** Executions that are pending or running. */
  readonly executions: number;
}

export interface ShareInput {
  readonly executions: readonly WaitingExecution[];
  readonly accounts: ReadonlyMap<string, AccountUse>;
  /** Memory that the tasks of each workspace hold. */
  readonly workspaceMb: ReadonlyMap<string, number>;
  /** Upper bound of what the runners have left. */
  readonly free: { readonly mb: number; readonly tasks: number };
  /** Tasks that this run may still place. */
  readonly maxTasks: number;
}

/**
 * Why an execution gets no further task.
 * - `enough`: all its tasks that may start have a place, or its parallelism is reached;
 * - `runners`: no runner has room;
 * - a limit of its account.
 */
export type Block = 'enough' | 'runners' | 'job_concurrent_tasks' | 'job_parallel_executions';

export class Tally {
  readonly #input: ShareInput;
  readonly #given = new Map<string, number>();
  readonly #accounts: Map<string, AccountUse>;
  readonly #workspaceMb: Map<string, number>;
  #freeMb: number;
  #freeTasks: number;
  #maxTasks: number;

  constructor(input: ShareInput) {
    this.#input = input;
    this.#accounts = new Map(input.accounts);
    this.#workspaceMb = new Map(input.workspaceMb);
    this.#freeMb = input.free.mb;
    this.#freeTasks = input.free.tasks;
    this.#maxTasks = input.maxTasks;
  }

  /** Tasks given so far, by execution. */
  get given(): ReadonlyMap<string, number> {
    return this.#given;
  }

  get isOver(): boolean {
    return this.#maxTasks < 1;
  }

  mbOf(workspaceId: string): number {
    return this.#workspaceMb.get(workspaceId) ?? 0;
  }

  /** Undefined when the execution may get another task. A block stays for as long as tasks are only given. */
  blockOf({
    executionId,
    accountId,
    status,
    memoryMb,
    waiting,
    active,
    parallelism,
  }: WaitingExecution): Block | undefined {
    const given = this.#given.get(executionId) ?? 0;
    if (given >= Math.min(waiting, parallelism - active)) return 'enough';
    const account = this.#accounts.get(accountId);
    if (account === undefined || account.tasks >= account.maxTasks) return 'job_concurrent_tasks';
    if (status === 'queued' && given === 0 && account.executions >= account.maxExecutions)
      return 'job_parallel_executions';
    return this.#freeTasks < 1 || this.#freeMb < memoryMb ? 'runners' : undefined;
  }

  /** A queued execution is admitted with its first task. */
  give({ executionId, accountId, workspaceId, memoryMb, status }: WaitingExecution, count: number): void {
    if (count < 1) return;
    const given = this.#given.get(executionId) ?? 0;
    const admitted = status === 'queued' && given === 0 ? 1 : 0;
    const account = this.#accounts.get(accountId);
    if (account !== undefined) {
      const { tasks, executions } = account;
      this.#accounts.set(accountId, { ...account, tasks: tasks + count, executions: executions + admitted });
    }
    this.#given.set(executionId, given + count);
    this.#workspaceMb.set(workspaceId, this.mbOf(workspaceId) + count * memoryMb);
    this.#freeMb -= count * memoryMb;
    this.#freeTasks -= count;
    this.#maxTasks -= count;
  }

  /** The input of a next decision, after everything that was given is placed. */
  rest(): ShareInput {
    return {
      executions: this.#input.executions.map((execution) => {
        const given = this.#given.get(execution.executionId) ?? 0;
        const { status, waiting, active } = execution;
        return given === 0
          ? execution
          : {
              ...execution,
              status: status === 'queued' ? 'pending' : status,
              waiting: waiting - given,
              active: active + given,
            };
      }),
      accounts: this.#accounts,
      workspaceMb: this.#workspaceMb,
      free: { mb: this.#freeMb, tasks: this.#freeTasks },
      maxTasks: this.#maxTasks,
    };
  }
}
